import type { DownlinkParameter, DownlinkValue } from '@leitstand/contract/downlinkPayload'
import { NumberInput, Select, Switch, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from './downlinks.module.css'
import { rangeOf } from './range.ts'
import type { ValueFault } from './values.ts'

/** Fields for the parameters of a predefined downlink. Errors are shown at their field. */
export function ValueFields(props: {
  parameters: readonly DownlinkParameter[]
  values: Readonly<Record<string, DownlinkValue>>
  onChange: (values: Record<string, DownlinkValue>) => void
  fault: ValueFault | undefined
}) {
  const { t } = useTranslation()
  const { parameters, values, fault } = props
  const set = (key: string, value: DownlinkValue | undefined) => {
    const { [key]: _, ...others } = values
    props.onChange(value === undefined ? others : { ...others, [key]: value })
  }
  return (
    <div className={classes.fields}>
      {parameters.map((parameter) => {
        const { key } = parameter
        const value = values[key]
        // A value not yet entered is not shown as an error.
        const isWrong = fault?.parameter === key && fault.fault !== 'downlinkMissing'
        const common = {
          label: parameter.title || key,
          ...(isWrong ? { error: t(`validation.custom.${fault.fault}`) } : {}),
        }
        if (parameter.type === 'bool')
          return (
            <Switch
              key={key}
              label={common.label}
              checked={value === true}
              onChange={(event) => set(key, event.currentTarget.checked)}
            />
          )
        if (parameter.type === 'enum')
          return (
            <Select
              key={key}
              {...common}
              data={parameter.options.map((option) => ({ value: String(option.value), label: option.title }))}
              value={value === undefined ? null : String(value)}
              onChange={(chosen) => set(key, chosen === null ? undefined : Number(chosen))}
              allowDeselect={false}
            />
          )
        if (parameter.type === 'text')
          return (
            <TextInput
              key={key}
              {...common}
              value={typeof value === 'string' ? value : ''}
              onChange={(event) => set(key, event.currentTarget.value)}
            />
          )
        return (
          <NumberInput
            key={key}
            {...common}
            description={rangeOf(parameter)}
            required
            allowDecimal={parameter.type === 'float'}
            decimalSeparator={t('common.decimal')}
            allowedDecimalSeparators={[',', '.']}
            value={typeof value === 'number' ? value : ''}
            onChange={(typed) => set(key, typed === '' ? undefined : Number(typed))}
          />
        )
      })}
    </div>
  )
}
