import { arrayMove, SortableContext, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable'
import type { PositionAxis, State } from '@leitstand/contract/states'
import { ActionIcon, Button, Group, Menu, Table, Tooltip, UnstyledButton } from '@mantine/core'
import {
  IconChevronDown,
  IconDots,
  IconDownload,
  IconGauge,
  IconGripVertical,
  IconHistory,
  IconMapPin,
  IconPencil,
  IconPlus,
  IconTrash,
  IconUpload,
  IconWriting,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { onDemand } from '../../../lib/onDemand.ts'
import { FixedMark } from '../../../ui/display/FixedMark.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { thingIcon } from '../../../ui/display/icons.ts'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import { ConfirmDanger } from '../../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { notifyError, notifySuccess } from '../../../ui/feedback/notify.ts'
import { notifyUndo } from '../../../ui/feedback/notifyUndo.ts'
import { cardCell } from '../../../ui/list/SimpleTable.tsx'
import { ScrollBox } from '../../../ui/page/ScrollBox.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { SortableArea } from '../../../ui/page/SortableArea.tsx'
import { dependenciesOf } from '../../objects/index.ts'
import { HistoryDialog } from '../history/HistoryDialog.tsx'
import { opensHistory, useHistoryAddress } from '../history/useHistoryAddress.ts'
import { positionAxisOf } from './positionAxis.ts'
import { SetValueDialog } from './SetValueDialog.tsx'
import { StateEditor } from './StateEditor.tsx'
import { StateValue } from './StateValue.tsx'
import { isAggregate } from './sources/index.ts'
import classes from './states.module.css'
import { useStates, useStatesChanged } from './useStates.ts'

const DownloadValuesDialog = onDemand(() => import('../history/DownloadValuesDialog.tsx'))
const UploadValuesDialog = onDemand(() => import('./UploadValuesDialog.tsx'))

interface StatesTabProps {
  objectId: number
  title: string
  accountId: number
  category: 'digitalTwin' | 'virtualDevice'
  editable: boolean
  /** the tiles beside it show the values and open the history */
  besideTiles?: boolean
}

type Open =
  | { kind: 'create' | 'download' }
  | { kind: 'upload'; state: State | null }
  | { kind: 'edit' | 'history' | 'set' | 'delete'; state: State }
  | null

/**
 * States of a twin or device as a table: live values, create, change, reorder by dragging, delete, history.
 */
export function StatesTab({ objectId, title, accountId, category, editable, ...rest }: StatesTabProps) {
  const besideTiles = rest.besideTiles ?? false
  const { t } = useTranslation()
  const query = useStates(objectId)
  const changed = useStatesChanged(objectId)
  const states = query.data?.items as State[] | undefined
  const history = useHistoryAddress(states)
  const [open, setOther] = useState<Open>(null)
  const close = () => setOther(null)
  const setOpen = (next: Open) => (next?.kind === 'history' ? history.open(next.state.id) : setOther(next))
  const create = editable ? (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => setOpen({ kind: 'create' })}>
      {t('states.create')}
    </Button>
  ) : null
  return (
    <>
      {query.isError && !states ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !states ? (
        <Loading lines={7} />
      ) : states.length === 0 ? (
        <Section>
          <EmptyState
            icon={IconGauge}
            title={t('states.empty')}
            text={t('states.emptyText')}
            action={create}
          />
        </Section>
      ) : (
        <Section
          title={t('states.heading')}
          description={t('states.description')}
          actions={
            <Group gap={8}>
              <FileMenu editable={editable} onOpen={setOpen} />
              {create}
            </Group>
          }
          flush
        >
          <StatesTable
            objectId={objectId}
            states={states}
            editable={editable}
            withValues={!besideTiles}
            onOpen={setOpen}
          />
        </Section>
      )}
      {open?.kind === 'create' || open?.kind === 'edit' ? (
        <StateEditor
          objectId={objectId}
          accountId={accountId}
          category={category}
          {...(open.kind === 'edit' ? { state: open.state } : {})}
          onClose={close}
        />
      ) : null}
      {history.shown && !besideTiles ? (
        <HistoryDialog
          state={history.shown}
          objectTitle={title}
          editable={editable}
          onClose={history.close}
        />
      ) : null}
      {/* The table stays while the code of a dialog is loaded. */}
      <Suspense fallback={null}>
        {open?.kind === 'download' && states ? (
          <DownloadValuesDialog title={title} states={states} onClose={close} />
        ) : null}
        {open?.kind === 'upload' ? (
          <UploadValuesDialog
            objectId={objectId}
            title={open.state?.title ?? title}
            {...(open.state ? { state: open.state } : {})}
            onClose={close}
          />
        ) : null}
      </Suspense>
      {open?.kind === 'set' ? (
        <SetValueDialog state={open.state} objectId={objectId} onClose={close} />
      ) : null}
      <DeleteState
        state={open?.kind === 'delete' ? open.state : null}
        onClose={close}
        onDeleted={() => void changed()}
      />
    </>
  )
}

/** Values of all states as a file, and from one. */
function FileMenu({ editable, onOpen }: { editable: boolean; onOpen: (open: Open) => void }) {
  const { t } = useTranslation()
  return (
    <Menu withinPortal position="bottom-end">
      <Menu.Target>
        <Button variant="default" rightSection={<Icon of={IconChevronDown} size={16} />}>
          {t('valueUpload.file')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<Icon of={IconDownload} size={16} />}
          onClick={() => onOpen({ kind: 'download' })}
        >
          {t('valueExport.open')}
        </Menu.Item>
        {editable ? (
          <Menu.Item
            leftSection={<Icon of={IconUpload} size={16} />}
            onClick={() => onOpen({ kind: 'upload', state: null })}
          >
            {t('valueUpload.open')}
          </Menu.Item>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  )
}

function DeleteState(props: { state: State | null; onClose: () => void; onDeleted: () => void }) {
  const { state } = props
  const { t } = useTranslation()
  return (
    <ConfirmDanger
      opened={state !== null}
      onClose={props.onClose}
      title={t('states.deleteTitle', { title: state?.title })}
      text={t('states.deleteText')}
      confirmLabel={t('states.delete')}
      dependencies={{
        key: ['state', state?.id],
        load: () => dependenciesOf('state', state?.id ?? 0),
      }}
      onConfirm={async () => {
        if (!state) return
        await client.state.delete({ id: state.id })
        notifySuccess(t('states.deleted', { title: state.title }))
        props.onDeleted()
      }}
    />
  )
}

interface TableProps {
  objectId: number
  states: State[]
  editable: boolean
  withValues: boolean
  onOpen: (open: Open) => void
}

function StatesTable({ objectId, states, editable, withValues, onOpen }: TableProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { queryKey } = api.digitaltwin.states.queryOptions({ input: { id: objectId } })
  const reorder = async (fromId: number, toId: number) => {
    const from = states.findIndex(({ id }) => id === fromId)
    const to = states.findIndex(({ id }) => id === toId)
    if (await arrange(arrayMove(states, from, to)))
      notifyUndo(t('states.ordered'), async () => {
        await arrange(states)
        await cache.invalidateQueries({ queryKey })
      })
  }
  /** @returns whether it was stored */
  const arrange = async (next: State[]) => {
    cache.setQueryData(queryKey, (before) => (before ? { ...before, items: next } : before))
    try {
      await client.state.order({ dtwinId: objectId, stateIds: next.map((state) => state.id) })
      return true
    } catch (error) {
      notifyError(error, t('states.orderFailed'))
      await cache.invalidateQueries({ queryKey })
      return false
    }
  }
  const titleOf = (id: string | number) => states.find((state) => state.id === id)?.title ?? ''
  return (
    <SortableArea
      help={t('states.dragHelp')}
      titleOf={titleOf}
      onMove={(fromId, toId) => void reorder(fromId, toId)}
    >
      <ScrollBox label={t('states.title')}>
        <Table
          role="table"
          className="simple-table"
          verticalSpacing={8}
          horizontalSpacing="sm"
          highlightOnHover
          mt="sm"
        >
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {editable ? (
                <Table.Th role="columnheader" w={36} pr={0}>
                  <span className={classes.hidden}>{t('states.order')}</span>
                </Table.Th>
              ) : null}
              <Table.Th role="columnheader">{t('states.title')}</Table.Th>
              <Table.Th role="columnheader">{t('states.source')}</Table.Th>
              {withValues ? (
                <>
                  <Table.Th role="columnheader" data-align="right">
                    {t('states.value')}
                  </Table.Th>
                  <Table.Th role="columnheader">{t('states.time')}</Table.Th>
                </>
              ) : null}
              <Table.Th role="columnheader" w={96}>
                <span className={classes.hidden}>{t('list.rowMenu')}</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <SortableContext items={states.map((state) => state.id)} strategy={verticalListSortingStrategy}>
            <Table.Tbody role="rowgroup">
              {states.map((state) => (
                <StateRow
                  key={state.id}
                  state={state}
                  axis={positionAxisOf(state, states)}
                  editable={editable}
                  withValues={withValues}
                  onOpen={onOpen}
                />
              ))}
            </Table.Tbody>
          </SortableContext>
        </Table>
      </ScrollBox>
    </SortableArea>
  )
}

function StateRow(props: {
  state: State
  axis: PositionAxis | null
  editable: boolean
  withValues: boolean
  onOpen: (open: Open) => void
}) {
  const { state, axis, editable, withValues, onOpen } = props
  const { t } = useTranslation()
  const sortable = useSortable({ id: state.id, disabled: !editable })
  const shift = sortable.transform
  return (
    <Table.Tr
      role="row"
      ref={sortable.setNodeRef}
      className={sortable.isDragging ? (classes.dragging ?? '') : ''}
      style={{
        transform: shift ? `translate3d(0, ${Math.round(shift.y)}px, 0)` : undefined,
        transition: sortable.transition,
      }}
    >
      {editable ? (
        <Table.Td role="cell" pr={0} {...cardCell('pick', t('states.order'))}>
          <button
            type="button"
            className={classes.handle}
            aria-label={t('states.drag', { title: state.title })}
            {...sortable.attributes}
            {...sortable.listeners}
          >
            <Icon of={IconGripVertical} size={16} />
          </button>
        </Table.Td>
      ) : null}
      <Table.Td role="cell" {...cardCell('title', t('states.title'))}>
        <span className={classes.name}>
          <Icon of={thingIcon(state.icon, IconGauge)} />
          <span className={classes.nameText}>
            <UnstyledButton
              className={classes.nameButton ?? ''}
              onClick={() => onOpen({ kind: editable && !state.fixed ? 'edit' : 'history', state })}
            >
              {state.title}
            </UnstyledButton>
            <span className={classes.key}>
              {state.key}
              {axis ? <PositionMark axis={axis} /> : null}
              {state.fixed ? <FixedMark /> : null}
            </span>
          </span>
        </span>
      </Table.Td>
      <Table.Td role="cell" {...cardCell('fact', t('states.source'))}>
        {t(`states.sources.${state.source}`)}
      </Table.Td>
      {withValues ? (
        <>
          <Table.Td role="cell" data-align="right" {...cardCell('fact', t('states.value'))}>
            <StateValue state={state} />
          </Table.Td>
          <Table.Td role="cell" {...cardCell('fact', t('states.time'))}>
            <RelativeTime time={state.time} dimmed empty={t('states.noValue')} />
          </Table.Td>
        </>
      ) : null}
      <Table.Td role="cell" {...cardCell('menu', t('list.rowMenu'))}>
        <div className={classes.actions}>
          <Tooltip label={t('states.history')}>
            <ActionIcon
              size={28}
              {...(editable ? { visibleFrom: 'xs' } : {})}
              aria-label={t('states.historyOf', { title: state.title })}
              {...opensHistory(state.id)}
              onClick={() => onOpen({ kind: 'history', state })}
            >
              <Icon of={IconHistory} />
            </ActionIcon>
          </Tooltip>
          {editable ? <StateMenu state={state} onOpen={onOpen} /> : null}
        </div>
      </Table.Td>
    </Table.Tr>
  )
}

/** Shows that the values of a state move its twin. */
function PositionMark({ axis }: { axis: PositionAxis }) {
  const { t } = useTranslation()
  const text = t('states.movesTwin', { axis: t(`states.positionAxes.${axis}`) })
  return (
    <Tooltip label={text}>
      <span role="img" aria-label={text} className={classes.positionMark}>
        <Icon of={IconMapPin} size={14} />
      </span>
    </Tooltip>
  )
}

function StateMenu({ state, onOpen }: { state: State; onOpen: (open: Open) => void }) {
  const { t } = useTranslation()
  return (
    <Menu withinPortal>
      <Menu.Target>
        <ActionIcon
          size={28}
          aria-label={t('states.actionsOf', { title: state.title })}
          {...opensHistory(state.id)}
        >
          <Icon of={IconDots} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<Icon of={IconHistory} size={16} />}
          onClick={() => onOpen({ kind: 'history', state })}
        >
          {t('states.history')}
        </Menu.Item>
        {state.fixed ? null : (
          <Menu.Item
            leftSection={<Icon of={IconPencil} size={16} />}
            onClick={() => onOpen({ kind: 'edit', state })}
          >
            {t('states.edit')}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<Icon of={IconWriting} size={16} />}
          onClick={() => onOpen({ kind: 'set', state })}
        >
          {t('states.setValue')}
        </Menu.Item>
        {isAggregate(state.source) ? null : (
          <Menu.Item
            leftSection={<Icon of={IconUpload} size={16} />}
            onClick={() => onOpen({ kind: 'upload', state })}
          >
            {t('valueUpload.open')}
          </Menu.Item>
        )}
        {state.fixed ? null : (
          <Menu.Item
            leftSection={<Icon of={IconTrash} size={16} />}
            color="red"
            onClick={() => onOpen({ kind: 'delete', state })}
          >
            {t('states.delete')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
