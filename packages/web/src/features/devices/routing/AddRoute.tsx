import { Title } from '@leitstand/contract/common'
import { StateKey } from '@leitstand/contract/states'
import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { api } from '../../../lib/api.ts'
import { check } from '../../../lib/validation.ts'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import { useFieldFaults } from '../../../ui/forms/useFieldFaults.ts'
import { useChanged, useLeave } from '../../../ui/forms/useLeave.tsx'
import { findTwins, nameTwin, useStates } from '../../twins/index.ts'
import type { Device, DeviceState } from '../queries.ts'
import { freeKey } from './freeKey.ts'
import { createRoute, feedState, useRoutesChanged } from './routes.ts'

const faultsOf = check(z.object({ title: Title, key: StateKey }))

/** Option that creates a state of the twin for the route. */
const makeNew = 'new'

/** Routes the values of a device's state to a state of a twin: a new one, or one without a source. */
export function AddRoute({ device, onClose }: { device: Device; onClose: () => void }) {
  const { t } = useTranslation()
  const states = useStates(device.id).data?.items ?? []
  const [sourceId, setSourceId] = useState<string | null>(states.length === 1 ? String(states[0]?.id) : null)
  const [twinId, setTwinId] = useState<string | null>(idText(device.parentId))
  const { close, question } = useLeave(useChanged([sourceId, twinId]), onClose)
  const source = states.find(({ id }) => String(id) === sourceId)
  return (
    <Modal opened onClose={close} title={t('devices.routing.addTitle')}>
      <Stack gap="md">
        <Select
          label={t('devices.routing.source')}
          data={states.map(({ id, title, unit }) => ({
            value: String(id),
            label: unit ? `${title} [${unit}]` : title,
          }))}
          value={sourceId}
          onChange={setSourceId}
          searchable
          required
          nothingFoundMessage={t('common.nothingFound')}
        />
        <EntityPicker
          label={t('devices.routing.twin')}
          value={twinId}
          onChange={setTwinId}
          load={findTwins}
          labelOf={nameTwin}
          required
        />
        {source && twinId !== null ? (
          <Target
            key={`${source.id}-${twinId}`}
            device={device}
            source={source}
            twinId={Number(twinId)}
            onClose={onClose}
            onCancel={close}
          />
        ) : (
          <Buttons onClose={close} />
        )}
      </Stack>
      {question}
    </Modal>
  )
}

const idText = (id: number | null) => (id === null ? null : String(id))

interface TargetProps {
  device: Device
  source: DeviceState
  twinId: number
  onClose: () => void
  onCancel: () => void
}

/** The twin's state that gets the values. */
function Target({ device, source, twinId, onClose, onCancel }: TargetProps) {
  const { t } = useTranslation()
  const changed = useRoutesChanged(device.id)
  const there = useQuery(api.digitaltwin.states.queryOptions({ input: { id: twinId } }))
  const taken = there.data?.items.map(({ key }) => key) ?? []
  const free =
    there.data?.items.filter((state) => state.source === 'none' && state.valueType === source.valueType) ?? []
  const [chosen, setChosen] = useState(makeNew)
  const [title, setTitle] = useState(source.title)
  const [key, setKey] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const wantedKey = key ?? freeKey(source.key, taken)
  const isNew = chosen === makeNew
  const { faults, attempt, place } = useFieldFaults(
    () => ({ title, key: wantedKey }),
    isNew ? faultsOf : () => ({}),
  )
  const save = async () => {
    if (!there.data || Object.keys(attempt()).length > 0) return
    setBusy(true)
    setError(undefined)
    try {
      if (isNew) await createRoute({ sourceStateId: source.id, twinId, title: title.trim(), key: wantedKey })
      else await feedState(source.id, Number(chosen))
      notifySuccess(t('devices.routing.addedNote'))
      await changed(twinId)
      onClose()
    } catch (failed) {
      if (place(failed)) setError(failed)
      setBusy(false)
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Stack gap="md">
        <Select
          label={t('devices.routing.target')}
          data={[
            { value: makeNew, label: t('devices.routing.newState') },
            ...free.map((state) => ({ value: String(state.id), label: `${state.title} (${state.key})` })),
          ]}
          description={t('devices.routing.targetHint')}
          value={chosen}
          onChange={(value) => setChosen(value ?? makeNew)}
          allowDeselect={false}
        />
        {isNew ? (
          <>
            <TextInput
              label={t('devices.routing.newTitle')}
              required
              value={title}
              onChange={(event) => setTitle(event.currentTarget.value)}
              error={faults.title}
            />
            <TextInput
              label={t('devices.routing.newKey')}
              description={t('devices.routing.newKeyHint')}
              required
              value={wantedKey}
              onChange={(event) => setKey(event.currentTarget.value)}
              error={faults.key}
            />
          </>
        ) : null}
        {error === undefined ? null : <ErrorText error={error} />}
        <Buttons onClose={onCancel}>
          <Button type="submit" loading={busy} disabled={!there.data}>
            {t('devices.routing.add')}
          </Button>
        </Buttons>
      </Stack>
    </form>
  )
}

function Buttons({ onClose, children }: { onClose: () => void; children?: ReactNode }) {
  const { t } = useTranslation()
  return (
    <Group justify="flex-end" gap={8}>
      <Button variant="default" onClick={onClose}>
        {t('common.cancel')}
      </Button>
      {children ?? <Button disabled>{t('devices.routing.add')}</Button>}
    </Group>
  )
}
