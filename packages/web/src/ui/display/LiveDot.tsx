import { Tooltip } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useLiveStatus } from '../../lib/live.ts'
import classes from '../ui.module.css'

/** Dot with word: live, reconnecting or offline. `compact` keeps the word for the tooltip and screen readers. */
export function LiveDot({ compact = false }: { compact?: boolean }) {
  const { t } = useTranslation()
  const status = useLiveStatus()
  const word = t(`live.${status}`)
  return (
    <Tooltip label={t(`live.${status}Hint`)} multiline maw={260}>
      <span className={classes.live} data-status={status} role="status" aria-label={word}>
        <span className={classes.liveDot} aria-hidden />
        {compact ? null : <span aria-hidden>{word}</span>}
      </span>
    </Tooltip>
  )
}
