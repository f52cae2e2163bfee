import type { Execution } from '@leitstand/contract/rules'
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { MailOutcomes } from './MailOutcomes.tsx'
import classes from './rules.module.css'

/** When people were reminded of the alarm of an execution, and what became of each mail. */
export function Reminders({ total, items }: NonNullable<Execution['reminders']>) {
  const { t } = useTranslation()
  const earlier = total - items.length
  return (
    <div>
      <Text size="xs" c="dimmed">
        {t('rules.reminders.title')}
      </Text>
      {earlier > 0 ? (
        <Text size="sm" c="dimmed">
          {t('rules.reminders.earlier', { count: earlier, shown: formatNumber(earlier, 0) })}
        </Text>
      ) : null}
      <ul className={classes.reminders}>
        {items.map(({ at, mails }) => (
          <li key={at}>
            <time dateTime={at}>{formatTime(at)}</time>
            <div>
              <MailOutcomes mails={mails} />
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
