import type { State } from '@leitstand/contract/states'
import { Button, Group, Modal, NumberInput, SegmentedControl, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { useFieldFaults } from '../../../ui/forms/useFieldFaults.ts'
import { useChanged, useLeave } from '../../../ui/forms/useLeave.tsx'
import { initialText, isFaulty, toValue } from './manualValue.ts'
import { stateText } from './text.ts'
import { useStatesChanged } from './useStates.ts'

/** Sets a value manually; it is processed like any other, so rules and aggregates react to it. */
export function SetValueDialog(props: { state: State; objectId: number; onClose: () => void }) {
  const { state, objectId, onClose } = props
  const { t } = useTranslation()
  const changed = useStatesChanged(objectId)
  const [text, setText] = useState(initialText(state))
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const changedHere = useChanged(text)
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
      await client.state.setValue({ id: state.id, value: toValue(state, text) })
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

interface ValueFieldProps {
  state: State
  text: string
  onChange: (text: string) => void
  fault: string | undefined
}

function ValueField({ state, text, onChange, fault }: ValueFieldProps) {
  const { t } = useTranslation()
  const label = state.unit ? `${t('states.value')} (${state.unit})` : t('states.value')
  if (state.valueType === 'boolean') {
    return (
      <SegmentedControl
        aria-label={label}
        value={text}
        onChange={onChange}
        data={[
          { value: 'true', label: t('common.yes') },
          { value: 'false', label: t('common.no') },
        ]}
      />
    )
  }
  if (state.valueType === 'number') {
    return (
      <NumberInput
        label={label}
        value={text}
        onChange={(value) => onChange(String(value))}
        decimalSeparator={t('common.decimal')}
        allowedDecimalSeparators={[',', '.']}
        error={fault}
        data-autofocus
      />
    )
  }
  return (
    <Textarea
      label={label}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
      autosize
      minRows={state.valueType === 'json' ? 4 : 1}
      maxRows={14}
      error={fault}
      data-autofocus
    />
  )
}
