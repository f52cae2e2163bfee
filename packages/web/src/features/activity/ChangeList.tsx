import { Stack, Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { JsonView } from '../../ui/json/JsonView.tsx'
import { SimpleTable } from '../../ui/list/SimpleTable.tsx'
import classes from './activity.module.css'
import { changesOf, isEmpty } from './activity.ts'
import { fieldText, isTime, plainText, valueText } from './entryText.ts'

/** Changes field by field: before and after, or the new value. */
export function ChangeList({ action, changes }: { action: string; changes: unknown }) {
  const { t } = useTranslation()
  const found = changesOf(action, changes)
  const pairs = found.filter((change) => 'before' in change)
  const single = found.filter((change) => 'value' in change)
  if (found.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('systemLogs.noChanges')}
      </Text>
    )
  return (
    <Stack gap="lg">
      {pairs.length > 0 ? (
        <SimpleTable
          label={t('systemLogs.whatChanged')}
          rows={pairs}
          rowKey={({ field }) => field}
          spacing={6}
          columns={[
            {
              key: 'field',
              title: t('systemLogs.changed.heading'),
              width: '28%',
              className: classes.field,
              render: ({ field }) => fieldText(t, field),
            },
            {
              key: 'before',
              title: t('systemLogs.before'),
              className: classes.value,
              render: ({ before }) => <Value value={before} />,
            },
            {
              key: 'after',
              title: t('systemLogs.after'),
              className: classes.value,
              render: ({ after }) => <Value value={after} />,
            },
          ]}
        />
      ) : null}
      {single.length > 0 ? (
        <Table verticalSpacing={6} layout="fixed">
          <Table.Tbody>
            {single.map(({ field, value }) => (
              <Table.Tr key={field}>
                <Table.Th scope="row" w="32%" className={classes.field ?? ''}>
                  {fieldText(t, field)}
                </Table.Th>
                <Table.Td className={classes.value ?? ''}>
                  <Value value={value} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ) : null}
    </Stack>
  )
}

function Value({ value }: { value: unknown }) {
  const { t } = useTranslation()
  if (isEmpty(value)) return <span className={classes.empty}>{t('systemLogs.empty')}</span>
  if (typeof value === 'boolean') return t(value ? 'systemLogs.yes' : 'systemLogs.no')
  if (typeof value === 'number') return <span className="tabular">{formatNumber(value)}</span>
  if (typeof value === 'string')
    return isTime(value) ? <span className="tabular">{formatTime(value)}</span> : value
  const text = valueText(t, value)
  if (text !== undefined) return text
  const texts = Array.isArray(value) ? value.map((one) => plainText(one) ?? valueText(t, one)) : []
  if (texts.length > 0 && texts.every((one) => one !== undefined))
    return (
      <ul className={classes.values}>
        {texts.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    )
  return <JsonView value={value} openLevels={2} />
}
