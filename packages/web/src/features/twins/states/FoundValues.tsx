import { Alert, List, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { client } from '../../../lib/api.ts'
import { formatTimeShort } from '../../../lib/format.ts'
import { SimpleTable } from '../../../ui/list/SimpleTable.tsx'

type OfOne = Awaited<ReturnType<typeof client.stateValue.upload>>
type FoundState = OfOne['states'][number] & { twinTitle?: string }
type Preview = Pick<OfOne, 'faults' | 'faulty' | 'ignored'> & {
  states: readonly FoundState[]
  /** if more states were found than are listed */
  statesTotal?: number
}

/** What a file of values holds, and what is wrong with it. */
export function FoundValues({ preview }: { preview: Preview }) {
  const { t } = useTranslation()
  const { states, faults, faulty, ignored, statesTotal = states.length } = preview
  return (
    <>
      {states.length === 0 ? (
        <Text size="sm">{t('valueUpload.none')}</Text>
      ) : (
        <SimpleTable
          label={t('valueUpload.states')}
          rows={states}
          rowKey={({ stateId }) => stateId}
          columns={[
            ...(states.some(({ twinTitle }) => twinTitle !== undefined)
              ? [{ key: 'twin', title: t('valueUpload.twin'), render: (row: FoundState) => row.twinTitle }]
              : []),
            { key: 'title', title: t('valueUpload.state'), render: (row) => row.title },
            { key: 'values', title: t('valueUpload.count'), render: ({ values }) => values },
            {
              key: 'period',
              title: t('valueUpload.period'),
              render: ({ from, to }) =>
                t('valueUpload.periodOf', { from: formatTimeShort(from), to: formatTimeShort(to) }),
            },
          ]}
        />
      )}
      {statesTotal > states.length ? (
        <Text size="xs" c="dimmed">
          {t('valueUpload.statesMore', { count: states.length, total: statesTotal })}
        </Text>
      ) : null}
      {faulty > 0 ? (
        <Alert color="yellow" title={t('valueUpload.faults', { count: faulty })}>
          <List size="sm" mah={180} style={{ overflowY: 'auto' }} tabIndex={0}>
            {faults.map(({ row, column, code, cell }) => (
              <List.Item key={`${row} ${column}`}>
                {t('valueUpload.fault', {
                  row,
                  column,
                  text: t(`valueUpload.codes.${code}`, { cell }),
                })}
              </List.Item>
            ))}
          </List>
          {faulty > faults.length ? (
            <Text size="xs" mt={6}>
              {t('valueUpload.faultsMore', { count: faults.length })}
            </Text>
          ) : null}
        </Alert>
      ) : null}
      {ignored.length > 0 ? (
        <Text size="sm" c="dimmed">
          {t('valueUpload.ignored', { columns: ignored.join(', ') })}
        </Text>
      ) : null}
      {states.length > 0 ? (
        <Text size="sm" c="dimmed">
          {t('valueUpload.replace')}
        </Text>
      ) : null}
    </>
  )
}
