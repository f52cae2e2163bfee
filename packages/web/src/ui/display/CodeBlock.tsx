import { useTranslation } from 'react-i18next'
import classes from '../ui.module.css'
import { CopyButton } from './CopyButton.tsx'

/** A command or message to read and copy; long lines wrap, so that nothing is hidden. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  const { t } = useTranslation()
  return (
    <figure className={classes.codeBlock} aria-label={label}>
      <pre>{code}</pre>
      <CopyButton value={code} label={`${t('common.copy')}: ${label}`} size={28} />
    </figure>
  )
}
