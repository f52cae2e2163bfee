import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { Table, Text, Tooltip } from '@mantine/core'
import { IconTable } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatTimeExact } from '../../../../lib/format.ts'
import { thingPath } from '../../../../lib/recent.ts'
import { EmptyState } from '../../../../ui/feedback/EmptyState.tsx'
import { RouterLink } from '../../../../ui/page/RouterLink.tsx'
import { stateText } from '../../../twins/index.ts'
import classes from '../../dashboards.module.css'
import '../../../../ui/list/cards.css'
import type { ViewProps } from '../types.ts'

export default function TwinTable({ definition, data }: ViewProps<WidgetOf<'twin-table'>>) {
  const { t } = useTranslation()
  const { table } = data
  if (!table) return null
  if (table.rows.length === 0)
    return (
      <EmptyState
        icon={IconTable}
        title={t('dashboards.noTwins')}
        text={t('dashboards.noTwinsText')}
        compact
      />
    )
  return (
    <div className={classes.tableBox} style={{ maxHeight: definition.size.minHeightPx }}>
      <Table className="matrix" stickyHeader verticalSpacing={6} fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('dashboards.twinColumn')}</Table.Th>
            {table.columns.map((column) => (
              <Table.Th key={column.key} ta="right">
                {column.title}
                {column.unit ? (
                  <Text span size="xs" c="dimmed">
                    {' '}
                    {column.unit}
                  </Text>
                ) : null}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {table.rows.map((row) => (
            <Table.Tr key={row.twinId}>
              <Table.Td>
                <RouterLink to={thingPath(row.category, row.twinId)} c="inherit" fw={550}>
                  {row.title}
                </RouterLink>
              </Table.Td>
              {table.columns.map((column, index) => {
                const cell = row.cells[index]
                return (
                  <Table.Td key={column.key} ta="right">
                    {cell && cell.value !== null ? (
                      <Tooltip label={cell.time ? formatTimeExact(cell.time) : t('states.noValue')}>
                        <span className="tabular">{stateText(cell.value, {})}</span>
                      </Tooltip>
                    ) : (
                      <Text span c="dimmed">
                        –
                      </Text>
                    )}
                  </Table.Td>
                )
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {table.total > table.rows.length ? (
        <Text size="xs" c="dimmed" p="xs">
          {t('dashboards.tableMore', { shown: table.rows.length, total: table.total })}
        </Text>
      ) : null}
    </div>
  )
}
