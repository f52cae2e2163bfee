import { type Brand, type BrandSettings, defaultPageTitle } from '@leitstand/contract/branding'
import { useMantineTheme } from '@mantine/core'
import type { CSSProperties, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { backgroundOf } from '../../../lib/brand.ts'
import { currentLanguage } from '../../../lib/i18n.ts'
import { accentFrom, ownDark, ownLight } from '../../../ui/theme/accent.ts'
import { cssVariablesFor, themeFor } from '../../../ui/theme/theme.ts'
import classes from './preview.module.css'

interface LookProps {
  settings: BrandSettings
  images: Brand['images']
}

/** The form, and beside it how the settings look, as they are typed. */
export function Preview({ settings, images, children }: LookProps & { children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <div className={classes.beside}>
      <div>{children}</div>
      <aside className={classes.preview} aria-label={t('branding.preview')}>
        {(['light', 'dark'] as const).map((mode) => (
          <Look key={mode} mode={mode} settings={settings} images={images} />
        ))}
      </aside>
    </div>
  )
}

/** The menu, a button, the sign-in page and the footer in one mode, with the variables of the real pages. */
function Look({ mode, settings, images }: LookProps & { mode: 'light' | 'dark' }) {
  const { t } = useTranslation()
  const theme = useMantineTheme()
  const { lightHighlight, darkHighlight, useCustomBackground, logoPosition } = settings
  // A colour that is being typed counts once it is one.
  const accent = accentFrom(lightHighlight ?? ownLight, darkHighlight ?? ownDark)
  const variables = cssVariablesFor(accent)(theme)[mode] as CSSProperties
  const { fontFamily } = themeFor({ close: '' }, accent, settings.font)
  const page = settings.pages[currentLanguage()]
  const name = page.title.trim() || defaultPageTitle
  const head = (
    <div className={classes.head} data-logo={logoPosition}>
      <img src={images.logo ?? '/icon.svg'} width={28} height={28} alt="" />
      <span>{name}</span>
    </div>
  )
  return (
    <section
      className={classes.look}
      style={{ ...variables, ...(fontFamily === undefined ? {} : { fontFamily }) }}
      aria-label={t(`branding.mode.${mode}`)}
    >
      <div className={classes.shell}>
        <div className={classes.drawer}>
          {head}
          <span className={classes.entry} data-active>
            {t('screens.home.title')}
          </span>
          <span className={classes.entry}>{t('screens.devices.title')}</span>
        </div>
        <div className={classes.page} style={backgroundOf(useCustomBackground && images.home)}>
          <span className={classes.button}>{t('common.save')}</span>
        </div>
      </div>
      <div className={classes.login} style={backgroundOf(useCustomBackground && images.login)}>
        <div className={classes.card}>
          {head}
          <span className={classes.button}>{t('auth.signIn')}</span>
        </div>
      </div>
      {settings.showFooter ? (
        <div className={classes.footer}>
          <span>{page.copyright}</span>
          <span>{t('footer.imprint')}</span>
          <span>{t('footer.privacy')}</span>
        </div>
      ) : null}
    </section>
  )
}
