import { ActionIcon, Box, Button, Group, Menu, Table, Text, VisuallyHidden } from '@mantine/core'
import { IconDots, IconEraser, IconHistoryOff, IconPencil, IconRoute, IconTrash } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { formatTime } from '../../../lib/format.ts'
import { currentLanguage } from '../../../lib/i18n.ts'
import { onDemand } from '../../../lib/onDemand.ts'
import { useStore } from '../../../lib/store.ts'
import { tracePath } from '../../../lib/trace.ts'
import { visitorStore } from '../../../lib/visitor.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { FileButton } from '../../../ui/list/FileButton.tsx'
import { FileMenu } from '../../../ui/list/FileMenu.tsx'
import { type FileFormat, saveWritten } from '../../../ui/list/files.ts'
import { stateText } from '../states/text.ts'
import type { HistoryState } from './HistoryDialog.tsx'
import classes from './history.module.css'

const CorrectValueDialog = onDemand(() => import('./CorrectValueDialog.tsx'))
const DeleteValuesDialog = onDemand(() => import('./DeleteValuesDialog.tsx'))

interface HistoryTableProps {
  state: HistoryState
  objectTitle: string
  editable: boolean
  fromMs: number
  toMs: number
  /** values were corrected or deleted */
  onChanged: () => void
}

/** A stored value of the table. */
export interface HistoryRow {
  time: string
  value: unknown
}

type Open = { kind: 'correct'; row: HistoryRow } | { kind: 'delete'; row: HistoryRow | null } | null

/** Raw values, newest first, at most 1 000 as in the specification; the file has all of the range. */
export function HistoryTable({ state, objectTitle, editable, fromMs, toMs, onChanged }: HistoryTableProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState<Open>(null)
  const query = useQuery({
    ...api.series.postgresFetch.queryOptions({
      input: {
        stateIds: [state.id],
        startDate: new Date(fromMs).toISOString(),
        endDate: new Date(toMs).toISOString(),
      },
    }),
    placeholderData: keepPreviousData,
  })
  if (query.isError && !query.data)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
  if (!query.data) return <Loading lines={8} />
  const { rows, more } = query.data
  const name = `${objectTitle} ${state.title}`
  const load = (format: FileFormat) =>
    client.series.exportFile({
      stateIds: [state.id],
      startDate: new Date(fromMs).toISOString(),
      endDate: new Date(toMs).toISOString(),
      language: currentLanguage(),
      format,
    })
  const changed = async () => {
    await query.refetch()
    onChanged()
  }
  return (
    <>
      {rows.length === 0 ? (
        <EmptyState icon={IconHistoryOff} title={t('history.empty')} text={t('history.emptyText')} compact />
      ) : (
        <Values state={state} rows={rows} editable={editable} onOpen={setOpen} />
      )}
      {rows.length === 0 ? null : (
        <Group justify="space-between" mt="sm">
          <Text size="sm" c="dimmed">
            {t(more ? 'history.rowsMore' : 'history.rows', { count: rows.length })}
          </Text>
          <Group gap={8}>
            {editable ? (
              <Button
                variant="default"
                leftSection={<Icon of={IconEraser} />}
                onClick={() => setOpen({ kind: 'delete', row: null })}
              >
                {t('history.deletePeriod')}
              </Button>
            ) : null}
            <FileButton name={name} format="csv" label={t('history.csv')} load={() => load('csv')} />
            <FileMenu
              disabled={false}
              label={t('history.file')}
              save={async (format) => saveWritten(name, format, await load(format))}
            />
          </Group>
        </Group>
      )}
      <Suspense fallback={null}>
        {open?.kind === 'correct' ? (
          <CorrectValueDialog state={state} row={open.row} onDone={changed} onClose={() => setOpen(null)} />
        ) : null}
        {open?.kind === 'delete' ? (
          <DeleteValuesDialog
            state={state}
            row={open.row}
            fromMs={fromMs}
            toMs={toMs}
            onDone={changed}
            onClose={() => setOpen(null)}
          />
        ) : null}
      </Suspense>
    </>
  )
}

function Values(props: {
  state: HistoryState
  rows: readonly HistoryRow[]
  editable: boolean
  onOpen: (open: Open) => void
}) {
  const { state, rows, editable, onOpen } = props
  const { t } = useTranslation()
  const isVisitor = useStore(visitorStore) !== null
  return (
    // A scrollable area must be reachable by keyboard (WCAG 2.1.1).
    <Box component="section" className={classes.rows ?? ''} aria-label={t('history.table')} tabIndex={0}>
      <Table stickyHeader verticalSpacing={5} fz="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('history.time')}</Table.Th>
            <Table.Th ta="right">{t('states.value')}</Table.Th>
            {isVisitor ? null : (
              <Table.Th w={44}>
                <VisuallyHidden>{t('list.rowMenu')}</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.time}>
              <Table.Td>{formatTime(row.time)}</Table.Td>
              <Table.Td ta="right" className={classes.cell ?? ''}>
                {stateText(row.value, state)}
              </Table.Td>
              {isVisitor ? null : (
                <Table.Td>
                  <RowMenu row={row} stateId={state.id} editable={editable} onOpen={onOpen} />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  )
}

function RowMenu(props: {
  row: HistoryRow
  stateId: number
  editable: boolean
  onOpen: (open: Open) => void
}) {
  const { row, stateId, editable, onOpen } = props
  const { t } = useTranslation()
  return (
    <Menu withinPortal position="bottom-end">
      <Menu.Target>
        <ActionIcon size={24} aria-label={t('history.actionsOf', { time: formatTime(row.time) })}>
          <Icon of={IconDots} size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component="a"
          href={`#${tracePath({ state: stateId, at: row.time })}`}
          leftSection={<Icon of={IconRoute} size={16} />}
        >
          {t('trace.follow')}
        </Menu.Item>
        {editable ? (
          <>
            <Menu.Item
              leftSection={<Icon of={IconPencil} size={16} />}
              onClick={() => onOpen({ kind: 'correct', row })}
            >
              {t('history.correct')}
            </Menu.Item>
            <Menu.Item
              color="red"
              leftSection={<Icon of={IconTrash} size={16} />}
              onClick={() => onOpen({ kind: 'delete', row })}
            >
              {t('history.delete')}
            </Menu.Item>
          </>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  )
}
