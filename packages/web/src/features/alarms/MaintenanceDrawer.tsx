import type { AlarmMaintenance } from '@leitstand/contract/alarmMaintenance'
import { Button, Drawer, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconBarrierBlock } from '@tabler/icons-react'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { reread } from '../../lib/reread.ts'
import { useCan, useUser } from '../../lib/session.ts'
import { useNow } from '../../lib/time.ts'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { DateTimeField } from '../../ui/forms/DateTimeField.tsx'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { findGroups, nameGroup } from '../groups/index.ts'
import { findTwins, nameTwin } from '../twins/index.ts'
import classes from './alarms.module.css'
import { faultKeysOf, firstTimes } from './maintenanceValues.ts'

const pageSize = 50

/** Where and when work is done: planned and running maintenance, and a button to plan more. */
export function MaintenanceDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const can = useCan()
  const [planning, setPlanning] = useState(false)
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={520}
      title={t('maintenance.heading')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('maintenance.text')}
        </Text>
        {can('VirtualDevice', 'manage') || can('DigitalTwin', 'write') ? (
          <Button
            style={{ alignSelf: 'start' }}
            leftSection={<IconBarrierBlock size={16} aria-hidden />}
            onClick={() => setPlanning(true)}
          >
            {t('maintenance.create')}
          </Button>
        ) : null}
        <Windows />
      </Stack>
      {planning ? <PlanDialog onClose={() => setPlanning(false)} /> : null}
    </Drawer>
  )
}

/** Below that of alarms, as windows count the alarms they hold back. */
const queryKey = [...api.alarmLogs.key(), 'maintenance']

function Windows() {
  const { t } = useTranslation()
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: 0,
    queryFn: ({ pageParam: offset }) => client.alarmMaintenance.list({ offset, limit: pageSize }),
    getNextPageParam: ({ offset, total }) => (offset + pageSize < total ? offset + pageSize : undefined),
  })
  if (query.isLoadingError)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
  if (!query.data) return <Loading lines={3} />
  const items = query.data.pages.flatMap((page) => page.items)
  if (items.length === 0)
    return (
      <EmptyState
        icon={IconBarrierBlock}
        title={t('maintenance.none')}
        text={t('maintenance.noneText')}
        compact
      />
    )
  return (
    <>
      <ul className={classes.windows} aria-label={t('maintenance.heading')}>
        {items.map((each) => (
          <Window key={each.id} maintenance={each} />
        ))}
      </ul>
      {query.hasNextPage ? (
        <Button
          variant="subtle"
          size="xs"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t('common.more')}
        </Button>
      ) : null}
    </>
  )
}

function Window({ maintenance }: { maintenance: AlarmMaintenance }) {
  const { t } = useTranslation()
  const can = useCan()
  const cache = useQueryClient()
  const isRunning = Date.parse(maintenance.startsAt) <= useNow()
  const end = useMutation({
    mutationFn: () => client.alarmMaintenance.end({ id: maintenance.id }),
    onSuccess: () => notifySuccess(t('maintenance.ended', { title: maintenance.title })),
    onError: (error) => notifyError(error),
    onSettled: async () => {
      await reread(cache, api.alarmLogs.key())
    },
  })
  const { title, twinTitle, groupTitle, accountName, startsAt, endsAt, openAlarms, createdBy } = maintenance
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
        <div>
          <Group gap={8}>
            <Text fw={550} size="sm">
              {title}
            </Text>
            {isRunning ? <StatusBadge tone="accent" label={t('maintenance.running')} /> : null}
          </Group>
          <Text size="sm">
            {twinTitle ?? groupTitle ?? t('maintenance.account', { name: accountName })} ·{' '}
            {formatTime(startsAt)} – {formatTime(endsAt)}
          </Text>
          <Text size="xs" c="dimmed">
            {t('maintenance.by', { name: createdBy })}
            {openAlarms > 0 ? ` · ${t('maintenance.alarms', { count: openAlarms })}` : ''}
          </Text>
        </div>
        {can('VirtualDevice', 'manage') || can('DigitalTwin', 'write') ? (
          <Button
            variant="default"
            size="xs"
            style={{ flexShrink: 0 }}
            loading={end.isPending}
            onClick={() => end.mutate()}
          >
            {t(isRunning ? 'maintenance.end' : 'maintenance.cancel')}
          </Button>
        ) : null}
      </Group>
    </li>
  )
}

function PlanDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('maintenance.create')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <PlanForm onClose={onClose} />
    </FormModal>
  )
}

function PlanForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const { accountId } = useUser()
  const can = useCan()
  const cache = useQueryClient()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({
      title: '',
      accountId: String(accountId) as string | null,
      twinId: null as number | null,
      groupId: null as number | null,
      ...firstTimes(new Date()),
    }),
    faultsOf: (entered) =>
      Object.fromEntries(
        Object.entries(faultKeysOf(entered, new Date())).map(([field, key]) => [
          field,
          key === 'required' ? t('validation.required') : t(`maintenance.faults.${key}`),
        ]),
      ),
    save: async (entered) => {
      await client.alarmMaintenance.create({
        accountId: Number(entered.accountId ?? accountId),
        twinId: entered.twinId,
        groupId: entered.twinId === null ? entered.groupId : null,
        title: entered.title.trim(),
        startsAt: new Date(entered.startsAt).toISOString(),
        endsAt: new Date(entered.endsAt).toISOString(),
      })
      await reread(cache, queryKey)
      return null
    },
    onMade: () => undefined,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('maintenance.create')}>
      <TextInput
        data-autofocus
        label={t('maintenance.title')}
        required
        maxLength={200}
        value={values.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
        error={faultAt('title')}
      />
      {values.groupId === null ? (
        <EntityPicker
          label={t('maintenance.twin')}
          placeholder={t('maintenance.wholeAccount')}
          value={values.twinId === null ? null : String(values.twinId)}
          load={findTwins}
          labelOf={nameTwin}
          onChange={(twin) => set({ twinId: twin === null ? null : Number(twin) })}
        />
      ) : null}
      {values.twinId === null && can('VirtualDevice', 'manage') ? (
        <EntityPicker
          label={t('maintenance.group')}
          description={t('maintenance.groupHint')}
          value={values.groupId === null ? null : String(values.groupId)}
          load={findGroups}
          labelOf={nameGroup}
          onChange={(group) => set({ groupId: group === null ? null : Number(group) })}
        />
      ) : null}
      {values.twinId === null && values.groupId === null ? (
        <AccountSelect
          label={t('alarms.account')}
          required
          value={values.accountId}
          onChange={(account) => set({ accountId: account })}
        />
      ) : null}
      <DateTimeField
        label={t('maintenance.from')}
        value={values.startsAt}
        onChange={(startsAt) => set({ startsAt })}
        error={faultAt('startsAt')}
      />
      <DateTimeField
        label={t('maintenance.to')}
        value={values.endsAt}
        onChange={(endsAt) => set({ endsAt })}
        error={faultAt('endsAt')}
      />
    </DialogForm>
  )
}
