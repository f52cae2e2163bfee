import type { OverviewState } from '@leitstand/contract/overview'
import { Button, Group, Modal, Radio, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { useSession } from '../../../lib/session.ts'
import { useAccounts } from '../../../ui/accounts/AccountFilter.tsx'
import { accountTree } from '../../../ui/accounts/accountTree.ts'
import { notifyWith } from '../../../ui/feedback/notify.ts'
import { DialogForm, useDialogForm } from '../../../ui/forms/DialogForm.tsx'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import type { StateActionProps } from '../../overview/index.ts'
import { faultOf, type ShownAs, shownAs, widgetWith } from './widget.ts'

interface Values {
  on: 'existing' | 'new'
  boardId: string | null
  name: string
  accountId: string | null
  kind: ShownAs
  title: string
}

const textLengthMax = 200

const findBoards = async (search: string) => {
  const { items } = await client.dashboards.list({ limit: 20, ...(search ? { search } : {}) })
  return items.map(({ id, name, accountName }) => ({ value: String(id), label: `${name} (${accountName})` }))
}

const nameBoard = async (id: string) => (await client.dashboards.get({ id: Number(id) })).name

/** Puts chosen states onto a dashboard, an existing one or a new one, as a widget. */
export default function PutOnDashboard({ states, onClose }: StateActionProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const own = useOwnAccount()
  const form = useDialogForm<Values, { id: number; name: string }>({
    initial: () => ({
      on: 'existing',
      boardId: null,
      name: '',
      accountId: own,
      kind: shownAs.find((kind) => faultOf(kind, states) === null) ?? 'value',
      title: titleOf(states),
    }),
    faultsOf: ({ on, boardId, name, accountId, kind }) => {
      const tooMuch = faultOf(kind, states)
      return {
        ...(on === 'existing' && boardId === null ? { boardId: t('validation.required') } : {}),
        ...(on === 'new' && name.trim() === '' ? { name: t('validation.required') } : {}),
        ...(on === 'new' && accountId === null ? { accountId: t('validation.required') } : {}),
        ...(tooMuch ? { kind: t(`dashboards.fromStates.${tooMuch.key}`, { count: tooMuch.count }) } : {}),
      }
    },
    save: async ({ on, boardId, name, accountId, kind, title }) => {
      const definition = widgetWith(kind, states, title.trim())
      return on === 'existing'
        ? client.dashboards.addWidget({ id: Number(boardId), definition })
        : client.dashboards.create({ name: name.trim(), accountId: Number(accountId), widgets: [definition] })
    },
    onMade: async ({ id, name }) => {
      await cache.invalidateQueries({ queryKey: api.dashboards.key() })
      const end = notifyWith(
        // Notices are outside of the router: no link.
        <Group justify="space-between" gap="sm" wrap="nowrap">
          <span>{t('dashboards.fromStates.done', { name })}</span>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              end()
              void navigate({ to: `/dashboards/${id}` })
            }}
          >
            {t('dashboards.fromStates.show')}
          </Button>
        </Group>,
        10_000,
      )
      onClose()
    },
    onClose,
  })
  const { values, set, faultAt } = form
  return (
    <Modal opened onClose={form.close} title={t('dashboards.fromStates.heading', { count: states.length })}>
      <DialogForm form={form.form} saveLabel={t('dashboards.fromStates.save')}>
        <SegmentedControl
          aria-label={t('dashboards.fromStates.on')}
          data={(['existing', 'new'] as const).map((value) => ({
            value,
            label: t(`dashboards.fromStates.${value}`),
          }))}
          value={values.on}
          onChange={(on) => set({ on: on === 'new' ? 'new' : 'existing' })}
        />
        {values.on === 'existing' ? (
          <EntityPicker
            label={t('dashboards.fromStates.board')}
            required
            load={findBoards}
            labelOf={nameBoard}
            value={values.boardId}
            onChange={(boardId) => set({ boardId })}
            error={faultAt('boardId')}
          />
        ) : (
          <>
            <TextInput
              label={t('dashboards.name')}
              required
              maxLength={textLengthMax}
              value={values.name}
              onChange={(event) => set({ name: event.currentTarget.value })}
              error={faultAt('name')}
            />
            <AccountField
              value={values.accountId}
              onChange={(accountId) => set({ accountId })}
              error={faultAt('accountId')}
            />
          </>
        )}
        <Radio.Group
          label={t('dashboards.fromStates.kind')}
          value={values.kind}
          onChange={(kind) => set({ kind: kind as ShownAs })}
          error={faultAt('kind')}
        >
          <Stack gap={8} mt={6} mb={faultAt('kind') ? 6 : 0}>
            {shownAs.map((kind) => (
              <Radio
                key={kind}
                value={kind}
                label={t(`dashboards.kinds.${kind}`)}
                description={t(`dashboards.fromStates.kindTexts.${kind}`)}
              />
            ))}
          </Stack>
        </Radio.Group>
        <TextInput
          label={t('dashboards.widgetTitle')}
          maxLength={textLengthMax}
          value={values.title}
          onChange={(event) => set({ title: event.currentTarget.value })}
        />
        {values.kind === 'twin-table' && states.length > 1 ? (
          <Text size="sm" c="dimmed">
            {t('dashboards.fromStates.tableHint')}
          </Text>
        ) : null}
      </DialogForm>
    </Modal>
  )
}

function useOwnAccount(): string | null {
  const session = useSession()
  return session.status === 'user' ? String(session.tenantId) : null
}

/** The account of a new dashboard, where there are several. */
function AccountField(props: {
  value: string | null
  onChange: (accountId: string | null) => void
  error: string | null
}) {
  const { t } = useTranslation()
  const accounts = useAccounts()
  const tree = accountTree(accounts.data?.items ?? [])
  if (tree.length < 2) return null
  return (
    <Select
      {...props}
      label={t('dashboards.account')}
      required
      searchable
      data={tree.map(({ account, depth }) => ({
        value: String(account.id),
        label: `${'\u2003'.repeat(depth)}${account.name}`,
      }))}
    />
  )
}

/** The title of the only state, or of the only twin. */
function titleOf(states: readonly OverviewState[]): string {
  const [first, ...others] = states
  if (!first) return ''
  if (others.length === 0) return `${first.twinTitle}: ${first.title}`.slice(0, textLengthMax)
  return others.every(({ twinId }) => twinId === first.twinId) ? first.twinTitle.slice(0, textLengthMax) : ''
}
