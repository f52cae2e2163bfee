import type { State } from '@leitstand/contract/states'
import { NumberInput, SegmentedControl, Textarea } from '@mantine/core'
import { useTranslation } from 'react-i18next'

interface ValueFieldProps {
  state: Pick<State, 'valueType' | 'unit'>
  text: string
  onChange: (text: string) => void
  fault: string | undefined
}

/** A value of the type of a state, as text. */
export function ValueField({ state, text, onChange, fault }: ValueFieldProps) {
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
