import { useTranslation } from 'react-i18next'
import { RouterLink } from '../ui/page/RouterLink.tsx'
import classes from './shell.module.css'

/** Version and the links every page carries. */
export function Footer() {
  const { t } = useTranslation()
  return (
    <footer className={classes.footer}>
      <span>{t('footer.version', { version: __APP_VERSION__ })}</span>
      <RouterLink to="/help?section=imprint" c="dimmed">
        {t('footer.imprint')}
      </RouterLink>
      <RouterLink to="/help?section=privacy" c="dimmed">
        {t('footer.privacy')}
      </RouterLink>
      <RouterLink to="/help?section=licences" c="dimmed">
        {t('footer.licences')}
      </RouterLink>
    </footer>
  )
}
