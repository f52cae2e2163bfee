import type { State } from '@leitstand/contract/states'
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { DateTimeField } from '../../../ui/forms/DateTimeField.tsx'
import { useFieldFaults } from '../../../ui/forms/useFieldFaults.ts'
import { useChanged, useLeave } from '../../../ui/forms/useLeave.tsx'
import { initialText, isFaulty, toValue } from './manualValue.ts'
import { stateText } from './text.ts'
import { useStatesChanged } from './useStates.ts'
import { ValueField } from './ValueField.tsx'

/** Sets a value manually; it is processed like any other, so rules and aggregates react to it. */
export function SetValueDialog(props: { state: State; objectId: number; onClose: () => void }) {
  const { state, objectId, onClose } = props
  const { t } = useTranslation()
  const changed = useStatesChanged(objectId)
  const [text, setText] = useState(initialText(state))
  const [time, setTime] = useState('')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const changedHere = useChanged({ text, time })
  const { close, question } = useLeave(changedHere && !busy, onClose)
  const { faults, attempt, place } = useFieldFaults(
    () => ({ value: text }),
    ({ value }) => {
      if (value.trim() === '' && state.valueType !== 'text') return { value: t('validation.required') }
      if (!isFaulty(state, value)) return {}
      return { value: t(state.valueType === 'number' ? 'validation.number' : 'errors.INVALID_JSON_VALUE') }
    },
  )
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (Object.keys(attempt()).length > 0) return
    setBusy(true)
    setFailure(undefined)
    try {
      await client.state.setValue({
        id: state.id,
        value: toValue(state, text),
        ...(time === '' ? {} : { time: new Date(time).toISOString() }),
      })
      notifySuccess(t('states.valueSet', { title: state.title }))
      await changed()
      onClose()
    } catch (error) {
      if (place(error)) setFailure(error)
      setBusy(false)
    }
  }
  return (
    <Modal opened onClose={close} title={t('states.setValueOf', { title: state.title })} centered>
      <form onSubmit={(event) => void save(event)}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {state.source === 'none' ? t('states.setValueText') : t('states.setValueOverwritten')}
          </Text>
          <ValueField state={state} text={text} onChange={setText} fault={faults.value} />
          <DateTimeField
            label={t('states.valueTime')}
            placeholder={t('states.valueTimeNow')}
            value={time}
            onChange={setTime}
          />
          <Text size="xs" c="dimmed">
            {t('states.now', { value: stateText(state.value, state) })}
          </Text>
          {failure === undefined ? null : <ErrorText error={failure} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={busy}>
              {t('states.setValue')}
            </Button>
          </Group>
        </Stack>
      </form>
      {question}
    </Modal>
  )
}
