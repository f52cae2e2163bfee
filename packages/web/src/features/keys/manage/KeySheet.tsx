import type { DoorKey } from '@leitstand/contract/keys'
import { keyLimits } from '@leitstand/contract/keys'
import { SegmentedControl, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import dayjs from 'dayjs'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { DateTimeField } from '../../../ui/forms/DateTimeField.tsx'
import { EditorSheet } from '../../../ui/forms/EditorSheet.tsx'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import { TimeField } from '../../../ui/forms/TimeField.tsx'
import { useFieldFaults } from '../../../ui/forms/useFieldFaults.ts'
import { useChanged } from '../../../ui/forms/useLeave.tsx'
import { Weekdays } from '../../rules/index.ts'
import classes from '../keys.module.css'
import { ownZone } from '../words.ts'
import { loadGroups, loadHolders, loadLocks } from './pickers.ts'

const zones = Intl.supportedValuesOf('timeZone')
const local = 'YYYY-MM-DDTHH:mm'

interface Values {
  kind: 'lock' | 'group'
  lockId: number | null
  groupId: number | null
  userId: number | null
  /** local times; an empty end: unlimited */
  from: string
  until: string
  weekdays: number[]
  hours: { from: string; until: string } | null
  timeZone: string
  note: string
}

function valuesOf(key: DoorKey | null): Values {
  return {
    kind: key?.group ? 'group' : 'lock',
    lockId: key?.lock?.id ?? null,
    groupId: key?.group?.id ?? null,
    userId: key?.user.id ?? null,
    from: dayjs(key?.validFrom).format(local),
    until: key?.validUntil ? dayjs(key.validUntil).format(local) : '',
    weekdays: key?.weekdays ?? [],
    hours: key?.hours ?? null,
    timeZone: key?.timeZone ?? ownZone(),
    note: key?.note ?? '',
  }
}

/** Gives a key, or changes one. */
export default function KeySheet({ of, onClose }: { of: DoorKey | null; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [values, setValues] = useState(() => valuesOf(of))
  const [failure, setFailure] = useState<unknown>()
  const dirty = useChanged(values)
  const { faults, attempt, place } = useFieldFaults(
    () => values,
    (given) => faultsOf(given, { required: t('validation.required'), end: t('errors.INVALID_DATE_RANGE') }),
  )
  const set = (change: Partial<Values>) => setValues((current) => ({ ...current, ...change }))
  const saving = useMutation({
    mutationFn: () => save(of, values),
    onMutate: () => setFailure(undefined),
    onError: (error) => setFailure(place(error) ? error : undefined),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: api.isfmAccessMgmt.key() })
      notifySuccess(t(of === null ? 'keys.given' : 'common.saved'))
      onClose()
    },
  })
  return (
    <EditorSheet
      title={t(of === null ? 'keys.give' : 'keys.edit')}
      size={480}
      saveLabel={t(of === null ? 'keys.give' : 'common.save')}
      dirty={dirty && !saving.isSuccess}
      busy={saving.isPending}
      failure={failure}
      onSave={() => {
        if (Object.keys(attempt()).length === 0) saving.mutate()
      }}
      onClose={onClose}
    >
      <Target of={of} values={values} set={set} faults={faults} />
      <div className={classes.pair}>
        <DateTimeField
          label={t('keys.field.validFrom')}
          value={values.from}
          onChange={(from) => set({ from })}
          error={faults.from}
        />
        <DateTimeField
          label={t('keys.field.validUntil')}
          placeholder={t('keys.unlimited')}
          value={values.until}
          onChange={(until) => set({ until })}
          error={faults.until}
        />
      </div>
      <Times values={values} set={set} />
      <TextInput
        label={t('keys.field.note')}
        maxLength={keyLimits.noteMax}
        value={values.note}
        onChange={(event) => set({ note: event.currentTarget.value })}
      />
    </EditorSheet>
  )
}

interface PartProps {
  values: Values
  set: (change: Partial<Values>) => void
}

/** What it opens, and whose it is. */
function Target({
  of,
  values,
  set,
  faults,
}: PartProps & { of: DoorKey | null; faults: Readonly<Record<string, string>> }) {
  const { t } = useTranslation()
  const { kind, lockId, groupId, userId } = values
  const target = { lockId: kind === 'lock' ? lockId : null, groupId: kind === 'group' ? groupId : null }
  return (
    <>
      <SegmentedControl
        aria-label={t('keys.opens')}
        value={kind}
        onChange={(next) => set({ kind: next === 'group' ? 'group' : 'lock' })}
        data={(['lock', 'group'] as const).map((value) => ({ value, label: t(`keys.kind.${value}`) }))}
      />
      {kind === 'lock' ? (
        <EntityPicker
          key="lock"
          label={t('keys.field.door')}
          required
          isFirst={of === null}
          value={lockId === null ? null : String(lockId)}
          load={loadLocks}
          labelOf={async () => of?.lock?.title ?? ''}
          nothing={t('keys.noLocks')}
          onChange={(id) => set({ lockId: id === null ? null : Number(id) })}
          error={faults.lockId}
        />
      ) : (
        <EntityPicker
          key="group"
          label={t('keys.field.group')}
          required
          value={groupId === null ? null : String(groupId)}
          load={loadGroups}
          labelOf={async () => of?.group?.title ?? ''}
          nothing={t('keys.noGroups')}
          onChange={(id) => set({ groupId: id === null ? null : Number(id) })}
          error={faults.groupId}
        />
      )}
      {of === null ? (
        <EntityPicker
          key={`${target.lockId} ${target.groupId}`}
          label={t('keys.field.user')}
          description={t('keys.userHint')}
          required
          value={userId === null ? null : String(userId)}
          load={(search) => loadHolders(search, target)}
          nothing={t('keys.noHolders')}
          onChange={(id) => set({ userId: id === null ? null : Number(id) })}
          error={faults.userId}
        />
      ) : (
        <TextInput label={t('keys.field.user')} value={of.user.name} disabled />
      )}
    </>
  )
}

/** Weekdays and hours. */
function Times({ values, set }: PartProps) {
  const { t } = useTranslation()
  const { weekdays, hours, timeZone } = values
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {t('keys.field.weekdays')}
      </Text>
      <Weekdays days={weekdays} onChange={(days) => set({ weekdays: days })} />
      <Text size="xs" c="dimmed">
        {t('keys.weekdaysHint')}
      </Text>
      <Switch
        label={t('keys.onlyHours')}
        checked={hours !== null}
        onChange={(event) =>
          set({ hours: event.currentTarget.checked ? { from: '08:00', until: '17:00' } : null })
        }
      />
      {hours === null ? null : (
        <>
          <div className={classes.pair}>
            <TimeField
              label={t('keys.field.hoursFrom')}
              value={hours.from}
              onChange={(from) => set({ hours: { ...hours, from } })}
            />
            <TimeField
              label={t('keys.field.hoursUntil')}
              value={hours.until}
              onChange={(until) => set({ hours: { ...hours, until } })}
            />
          </div>
          <Text size="xs" c="dimmed">
            {t('keys.hoursHint')}
          </Text>
        </>
      )}
      {hours === null && weekdays.length === 0 ? null : (
        <Select
          label={t('keys.field.timeZone')}
          data={zones.includes(timeZone) ? ['UTC', ...zones] : [timeZone, 'UTC', ...zones]}
          searchable
          allowDeselect={false}
          value={timeZone}
          onChange={(zone) => zone !== null && set({ timeZone: zone })}
          nothingFoundMessage={t('common.nothingFound')}
        />
      )}
    </Stack>
  )
}

function faultsOf(values: Values, texts: { required: string; end: string }): Record<string, string> {
  const { kind, lockId, groupId, userId, from, until } = values
  return {
    ...(kind === 'lock' && lockId === null ? { lockId: texts.required } : {}),
    ...(kind === 'group' && groupId === null ? { groupId: texts.required } : {}),
    ...(userId === null ? { userId: texts.required } : {}),
    ...(from === '' ? { from: texts.required } : {}),
    ...(until !== '' && from !== '' && until <= from ? { until: texts.end } : {}),
  }
}

async function save(of: DoorKey | null, values: Values): Promise<void> {
  const { kind, lockId, groupId, userId, from, until, hours, ...rest } = values
  const input = {
    ...rest,
    lockId: kind === 'lock' ? lockId : null,
    groupId: kind === 'group' ? groupId : null,
    validFrom: dayjs(from).toISOString(),
    validUntil: until === '' ? null : dayjs(until).toISOString(),
    hours: hours === null || hours.from === '' || hours.until === '' ? null : hours,
  }
  if (of === null) await client.isfmAccessMgmt.create({ ...input, userId: userId ?? 0 })
  else await client.isfmAccessMgmt.update({ ...input, id: of.id, version: of.version })
}
