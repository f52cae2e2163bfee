import { Anchor } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useBrand } from '../../lib/brand.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { RouterLink } from '../page/RouterLink.tsx'

interface FooterLinksProps {
  className: string
  /** the help has version and licences, which only users see */
  isSignedIn?: boolean
}

/** Imprint, data protection, version and more, as the account has set them for the language in use. */
export default function FooterLinks({ className, isSignedIn = false }: FooterLinksProps) {
  const { t } = useTranslation()
  const brand = useBrand()
  const page = brand?.isBranded ? brand.pages[currentLanguage()] : undefined
  const inHelp = (section: string) => (isSignedIn ? `/help?section=${section}` : null)
  const place = (key: 'imprint' | 'privacy') =>
    page ? (page[key].url ?? (page[key].hasText ? `/${key}` : null)) : inHelp(key)
  const links = [
    { key: 'about', to: page?.aboutUrl ?? null },
    { key: 'imprint', to: place('imprint') },
    { key: 'privacy', to: place('privacy') },
    { key: 'terms', to: brand?.hasTerms ? '/terms' : null },
    { key: 'licences', to: page?.licencesUrl ?? inHelp('licences') },
  ]
  const hasVersion = isSignedIn && (page === undefined || brand?.showVersion)
  const version = hasVersion ? t('footer.version', { version: __APP_VERSION__ }) : ''
  return (
    <footer className={className}>
      <span>{[page?.copyright, version].filter(Boolean).join(' · ')}</span>
      {links.map(({ key, to }) =>
        to === null ? null : to.startsWith('/') ? (
          <RouterLink key={key} to={to} c="dimmed">
            {t(`footer.${key}`)}
          </RouterLink>
        ) : (
          <Anchor key={key} href={to} target="_blank" rel="noopener noreferrer" c="dimmed" inherit>
            {t(`footer.${key}`)}
          </Anchor>
        ),
      )}
    </footer>
  )
}
