import type { Lock, LockWay } from '@leitstand/contract/keys'
import { keyLimits, lockWays } from '@leitstand/contract/keys'
import { NumberInput, SegmentedControl, Switch, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { useCan } from '../../../lib/session.ts'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { EditorSheet } from '../../../ui/forms/EditorSheet.tsx'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import { useFieldFaults } from '../../../ui/forms/useFieldFaults.ts'
import { useChanged } from '../../../ui/forms/useLeave.tsx'
import { ConnectorField } from '../../rules/index.ts'
import { StatePicker } from '../../twins/index.ts'
import classes from '../keys.module.css'
import { DownlinkFields } from './DownlinkFields.tsx'
import { faultsOf, type LockValues, lockInput, lockValues } from './lockValues.ts'
import { loadDoors } from './pickers.ts'

/** Gives a door a lock, or changes it. */
export default function LockSheet({ of, onClose }: { of: Lock | null; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const can = useCan()
  const [values, setValues] = useState(() => {
    const mayCommand = can('VirtualDevice', 'write') || can('VirtualDevice', 'manage')
    return of === null && !mayCommand ? { ...lockValues(of), kind: 'downlink' as const } : lockValues(of)
  })
  const [failure, setFailure] = useState<unknown>()
  const dirty = useChanged(values)
  const { faults, attempt, place } = useFieldFaults(
    () => values,
    (given) => faultsOf(given, t('validation.required')),
  )
  const set = (change: Partial<LockValues>) => setValues((current) => ({ ...current, ...change }))
  const saving = useMutation({
    mutationFn: async () => {
      const input = lockInput(values)
      if (of === null) await client.isfmAccessMgmt.createLock({ ...input, twinId: values.twinId ?? 0 })
      else await client.isfmAccessMgmt.updateLock({ ...input, id: of.id, version: of.version })
    },
    onMutate: () => setFailure(undefined),
    onError: (error) => setFailure(place(error) ? error : undefined),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: api.isfmAccessMgmt.key() })
      notifySuccess(t('common.saved'))
      onClose()
    },
  })
  const part = { values, set, faults }
  return (
    <EditorSheet
      title={t(of === null ? 'keys.createLock' : 'keys.editLock')}
      size={560}
      saveLabel={t(of === null ? 'keys.createLock' : 'common.save')}
      dirty={dirty && !saving.isSuccess}
      busy={saving.isPending}
      failure={failure}
      onSave={() => {
        if (Object.keys(attempt()).length === 0) saving.mutate()
      }}
      onClose={onClose}
    >
      {of === null ? (
        <EntityPicker
          label={t('keys.field.door')}
          description={t('keys.doorHint')}
          required
          isFirst
          value={values.twinId === null ? null : String(values.twinId)}
          load={loadDoors}
          nothing={t('keys.noDoors')}
          onChange={(id) => set({ twinId: id === null ? null : Number(id) })}
          error={faults.twinId}
        />
      ) : (
        <TextInput label={t('keys.field.door')} value={of.twin.title} disabled />
      )}
      <Way {...part} />
      <Report {...part} />
      <Demands {...part} />
    </EditorSheet>
  )
}

export interface LockPart {
  values: LockValues
  set: (change: Partial<LockValues>) => void
  faults: Readonly<Record<string, string>>
}

/** How it is opened: by something of the account of the door. */
function Way({ values, set, faults }: LockPart) {
  const { t } = useTranslation()
  const twin = useQuery({
    ...api.digitaltwin.get.queryOptions({ input: { id: values.twinId ?? 0 } }),
    enabled: values.twinId !== null,
  })
  const can = useCan()
  const { kind } = values
  const accountId = twin.data?.accountId
  // Others choose among what was prepared for the door; a lock that has another way keeps it.
  const mayCommand = can('VirtualDevice', 'write') || can('VirtualDevice', 'manage')
  const ways = lockWays.filter((way) => mayCommand || way !== 'connector-command' || way === kind)
  return (
    <>
      <SegmentedControl
        aria-label={t('keys.field.way')}
        value={kind}
        onChange={(next) => set({ kind: next as LockWay['kind'] })}
        data={ways.map((value) => ({ value, label: t(`keys.way.${value}`) }))}
      />
      {accountId === undefined ? null : kind === 'downlink' ? (
        <DownlinkFields
          accountId={accountId}
          {...(mayCommand || values.twinId === null ? {} : { standsAt: values.twinId })}
          values={values}
          set={set}
          faults={faults}
        />
      ) : (
        <ConnectorField
          key={kind}
          accountId={accountId}
          capability={kind === 'webhook' ? 'outgoing' : 'commands'}
          value={values.connectorId}
          onChange={(connectorId) => set({ connectorId })}
          error={faults.connectorId ?? null}
        />
      )}
      {kind === 'connector-command' ? (
        <TextInput
          label={t('keys.field.topic')}
          required
          maxLength={300}
          value={values.topic}
          onChange={(event) => set({ topic: event.currentTarget.value })}
          error={faults.topic}
        />
      ) : null}
      {kind === 'downlink' || (kind === 'webhook' && !mayCommand && values.payload === '') ? null : (
        <Textarea
          label={t('keys.field.payload')}
          description={kind === 'webhook' ? t('keys.payloadHint') : ''}
          autosize
          minRows={2}
          maxLength={4000}
          value={values.payload}
          onChange={(event) => set({ payload: event.currentTarget.value })}
        />
      )}
    </>
  )
}

/** How the lock says that it is open. */
function Report({ values, set, faults }: LockPart) {
  const { t } = useTranslation()
  const { stateId, value, waitSeconds, twinId } = values
  return (
    <>
      <StatePicker
        label={t('keys.field.report')}
        description={t('keys.reportHint')}
        {...(twinId === null ? {} : { preferObjectId: twinId })}
        value={stateId}
        onChange={(id) => set({ stateId: id })}
        error={faults.stateId}
      />
      <div className={classes.pair}>
        {stateId === null ? null : (
          <TextInput
            label={t('keys.field.openValue')}
            description={t('keys.openValueHint')}
            maxLength={100}
            required
            value={value}
            onChange={(event) => set({ value: event.currentTarget.value })}
            error={faults.value}
          />
        )}
        <NumberInput
          label={t('keys.field.wait')}
          description={t('keys.waitHint')}
          min={1}
          max={keyLimits.waitMax}
          allowDecimal={false}
          clampBehavior="strict"
          value={waitSeconds}
          onChange={(seconds) => set({ waitSeconds: Number(seconds) || 1 })}
        />
      </div>
    </>
  )
}

/** What is asked of those who open it. */
function Demands({ values, set }: LockPart) {
  const { t } = useTranslation()
  const { throttleSeconds, needsCode, withinMetres } = values
  return (
    <>
      <NumberInput
        label={t('keys.field.throttle')}
        description={t('keys.throttleHint')}
        min={1}
        max={keyLimits.throttleSecondsMax}
        allowDecimal={false}
        clampBehavior="strict"
        value={throttleSeconds}
        onChange={(seconds) => set({ throttleSeconds: Number(seconds) || 1 })}
      />
      <Switch
        label={t('keys.field.needsCode')}
        description={t('keys.needsCodeHint')}
        checked={needsCode}
        onChange={(event) => set({ needsCode: event.currentTarget.checked })}
      />
      <Switch
        label={t('keys.field.near')}
        description={t('keys.nearHint')}
        checked={withinMetres !== null}
        onChange={(event) => set({ withinMetres: event.currentTarget.checked ? 100 : null })}
      />
      {withinMetres === null ? null : (
        <NumberInput
          label={t('keys.field.metres')}
          min={keyLimits.withinMetresMin}
          max={keyLimits.withinMetresMax}
          allowDecimal={false}
          value={withinMetres}
          onChange={(metres) => set({ withinMetres: Number(metres) || keyLimits.withinMetresMin })}
        />
      )}
    </>
  )
}
