import { defaultPageTitle, type PublicBrand } from '@leitstand/contract/branding'
import { MantineProvider } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import i18next from 'i18next'
import { Suspense, useEffect, useMemo, useState } from 'react'
import { createPortal } from 'react-dom'
import { I18nContext, useTranslation } from 'react-i18next'
import { BrandContext } from '../../../lib/brand.ts'
import { currentLanguage } from '../../../lib/i18n.ts'
import { accentFrom, ownDark, ownLight } from '../../../ui/theme/accent.ts'
import { cssVariablesFor, themeFor } from '../../../ui/theme/theme.ts'
import type { BrandScreen } from '../slots.ts'
import { followStyles } from './followStyles.ts'
import classes from './preview.module.css'

interface PreviewFrameProps {
  screen: BrandScreen
  mode: 'light' | 'dark'
  brand: PublicBrand
}

/**
 * A real screen in a small window of its own. The window is an empty document that React draws into: it has no address, so
 * there is nothing that other sites could frame or send messages to, and it shares data and session with the page. It is
 * inert: nothing in it can be clicked, focused or read aloud; the text beside it says what it shows.
 */
export function PreviewFrame({ screen, mode, brand }: PreviewFrameProps) {
  const { t } = useTranslation()
  const { ref, width } = useElementSize()
  const [inside, setInside] = useState<Document | null>(null)
  const title = brand.pages[currentLanguage()].title || defaultPageTitle
  const scale = width / screen.width
  return (
    <div
      ref={ref}
      role="img"
      aria-label={t('branding.previewAlt', { screen: t(`screens.${screen.key}.title`), title })}
      className={classes.window}
      style={{ aspectRatio: `${screen.width} / ${screen.height}` }}
    >
      <iframe
        ref={(frame) => setInside(frame?.contentDocument ?? null)}
        inert
        aria-hidden
        tabIndex={-1}
        title={t('branding.preview')}
        className={classes.frame}
        style={{ width: screen.width, height: screen.height, transform: `scale(${scale})` }}
      />
      {inside === null ? null : <Drawn inside={inside} screen={screen} mode={mode} brand={brand} />}
    </div>
  )
}

function Drawn({ inside, screen, mode, brand }: PreviewFrameProps & { inside: Document }) {
  const { t } = useTranslation()
  const language = currentLanguage()
  const { lightHighlight, darkHighlight, font } = brand
  const close = t('common.close')
  const { theme, variables } = useMemo(() => {
    const accent = accentFrom(lightHighlight ?? ownLight, darkHighlight ?? ownDark)
    return { theme: themeFor({ close }, accent, font), variables: cssVariablesFor(accent) }
  }, [close, lightHighlight, darkHighlight, font])
  const { title } = brand.pages[language]
  // Texts name the platform as the settings do.
  const texts = useMemo(
    () => ({
      i18n: i18next.cloneInstance({
        lng: language,
        interpolation: { ...i18next.options.interpolation, defaultVariables: { product: title } },
      }),
    }),
    [language, title],
  )
  useEffect(() => followStyles(document, inside), [inside])
  return createPortal(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      forceColorScheme={mode}
      getRootElement={() => inside.documentElement}
    >
      <I18nContext value={texts}>
        <BrandContext value={brand}>
          <Suspense>
            <screen.Content />
          </Suspense>
        </BrandContext>
      </I18nContext>
    </MantineProvider>,
    inside.body,
  )
}
