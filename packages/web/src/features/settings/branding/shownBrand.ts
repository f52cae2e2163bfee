import {
  type Brand,
  type BrandSettings,
  defaultPageTitle,
  type PublicBrand,
} from '@leitstand/contract/branding'
import { channelsOf } from '@leitstand/contract/colours'

/**
 * Pure. The brand as visitors would get it, were these settings stored. A colour that is being typed counts once it is one.
 * @param shown the brand of the page: whether there are terms and links does not depend on the settings
 */
export function shownBrand(
  { useCustomBackground, grafanaUrl: _, pages, ...settings }: BrandSettings,
  images: Brand['images'],
  shown: Pick<PublicBrand, 'hasTerms' | 'hasDrawerLinks'> | null,
): PublicBrand {
  const colour = (hex: string | null) => (hex !== null && channelsOf(hex) ? hex : null)
  return {
    ...settings,
    lightHighlight: colour(settings.lightHighlight),
    darkHighlight: colour(settings.darkHighlight),
    isBranded: true,
    pages: { de: pageOf(pages.de), en: pageOf(pages.en) },
    images: useCustomBackground ? images : { ...images, home: null, login: null },
    hasTerms: shown?.hasTerms ?? false,
    hasDrawerLinks: shown?.hasDrawerLinks ?? false,
  }
}

function pageOf(page: BrandSettings['pages']['de']): PublicBrand['pages']['de'] {
  return {
    title: page.title.trim() || defaultPageTitle,
    imprint: { url: page.imprintUrl || null, hasText: page.imprintText.trim() !== '' },
    privacy: { url: page.privacyUrl || null, hasText: page.privacyText.trim() !== '' },
    aboutUrl: page.aboutUrl || null,
    licencesUrl: page.licencesUrl || null,
    copyright: page.copyright,
  }
}
