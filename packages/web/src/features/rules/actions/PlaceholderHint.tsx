import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from '../rules.module.css'
import { placeholders } from './texts.ts'

/** Lists the placeholders a text may contain. */
export function PlaceholderHint({ aliases }: { aliases: readonly string[] }) {
  const { t } = useTranslation()
  return (
    <Text size="xs" c="dimmed">
      {t('rules.placeholders')} <span className={classes.mono}>{placeholders(aliases).join('  ')}</span>
    </Text>
  )
}
