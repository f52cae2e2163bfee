import type { DownlinkParameter } from '@leitstand/contract/downlinkPayload'
import { Group, NumberInput, Select, Switch, Text, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import type { DriverValues } from '../values.ts'
import classes from './downlinks.module.css'
import { newParameter, optionLines, parameterTypes, readOptions } from './values.ts'

interface ParameterRowProps {
  form: UseFormReturnType<DriverValues>
  /** `downlinks.0.parameters.1` */
  path: string
  parameter: DownlinkParameter
  number: number
  readOnly: boolean
  onRemove: () => void
}

/** One parameter of a predefined downlink: name, type and position in the payload. */
export function ParameterRow({ form, path, parameter, number, readOnly, onRemove }: ParameterRowProps) {
  const { t } = useTranslation()
  const plain = { disabled: readOnly }
  const whole = { ...plain, min: 0, allowDecimal: false, hideControls: true }
  return (
    <li className={classes.parameter}>
      <Group justify="space-between" mb={8}>
        <Text size="sm" fw={600}>
          {t('downlinks.parameter', { number })}
        </Text>
        {readOnly ? null : (
          <RemoveButton label={t('downlinks.removeParameter', { number })} onClick={onRemove} />
        )}
      </Group>
      <div className={classes.fields}>
        <TextInput
          {...plain}
          label={t('downlinks.key')}
          required
          spellCheck={false}
          {...form.getInputProps(`${path}.key`)}
        />
        <TextInput {...plain} label={t('downlinks.label')} {...form.getInputProps(`${path}.title`)} />
        <Select
          {...plain}
          label={t('downlinks.type')}
          data={parameterTypes.map((type) => ({ value: type, label: t(`downlinks.types.${type}`) }))}
          value={parameter.type}
          allowDeselect={false}
          onChange={(chosen) => {
            const type = parameterTypes.find((each) => each === chosen)
            if (type) form.setFieldValue(path, newParameter(type, parameter))
          }}
        />
        <NumberInput
          {...whole}
          label={t('downlinks.startBit')}
          description={t('downlinks.startBitHint')}
          {...form.getInputProps(`${path}.startBit`)}
        />
        {parameter.type === 'text' ? (
          <NumberInput {...whole} label={t('downlinks.bytes')} {...form.getInputProps(`${path}.bytes`)} />
        ) : null}
        {'bits' in parameter ? (
          <>
            <NumberInput {...whole} label={t('downlinks.bits')} {...form.getInputProps(`${path}.bits`)} />
            <Select
              {...plain}
              label={t('downlinks.byteOrder')}
              data={(['big', 'little'] as const).map((order) => ({
                value: order,
                label: t(`drivers.layout.endians.${order}`),
              }))}
              allowDeselect={false}
              {...form.getInputProps(`${path}.byteOrder`)}
            />
          </>
        ) : null}
        {parameter.type === 'integer' || parameter.type === 'float' ? (
          <Bounds form={form} path={path} parameter={parameter} readOnly={readOnly} />
        ) : null}
        {parameter.type === 'enum' ? (
          <Options form={form} path={path} options={parameter.options} readOnly={readOnly} />
        ) : null}
      </div>
    </li>
  )
}

/** Minimum and maximum, and for a float its encoding. */
function Bounds(props: {
  form: UseFormReturnType<DriverValues>
  path: string
  parameter: Extract<DownlinkParameter, { type: 'integer' | 'float' }>
  readOnly: boolean
}) {
  const { t } = useTranslation()
  const { form, path, parameter, readOnly } = props
  const decimal = {
    disabled: readOnly,
    hideControls: true,
    allowDecimal: parameter.type === 'float',
    decimalSeparator: t('common.decimal'),
    allowedDecimalSeparators: [',', '.'],
  }
  const optional = (key: 'min' | 'max' | 'factor', value: number | null) => ({
    value: value ?? '',
    error: form.errors[`${path}.${key}`],
    onChange: (typed: number | string) =>
      form.setFieldValue(`${path}.${key}`, typed === '' ? null : Number(typed)),
  })
  return (
    <>
      <NumberInput {...decimal} label={t('downlinks.min')} {...optional('min', parameter.min)} />
      <NumberInput {...decimal} label={t('downlinks.max')} {...optional('max', parameter.max)} />
      {parameter.type === 'float' ? (
        <NumberInput
          {...decimal}
          label={t('downlinks.factor')}
          description={t('downlinks.factorHint')}
          {...optional('factor', parameter.factor)}
        />
      ) : null}
      {parameter.type === 'integer' || parameter.factor !== null ? (
        <Switch
          disabled={readOnly}
          label={t('downlinks.signed')}
          {...form.getInputProps(`${path}.signed`, { type: 'checkbox' })}
        />
      ) : null}
    </>
  )
}

/** Options as lines; keeps the text as typed. */
function Options(props: {
  form: UseFormReturnType<DriverValues>
  path: string
  options: { value: number; title: string }[]
  readOnly: boolean
}) {
  const { t } = useTranslation()
  const { form, path, options, readOnly } = props
  const [text, setText] = useState(optionLines(options))
  const [fault] = Object.entries(form.errors).filter(([at]) => at.startsWith(`${path}.options`))
  return (
    <Textarea
      className={classes.wide ?? ''}
      disabled={readOnly}
      label={t('downlinks.options')}
      description={t('downlinks.optionsHint')}
      autosize
      minRows={2}
      maxRows={12}
      value={text}
      error={fault?.[1]}
      onChange={(event) => {
        setText(event.currentTarget.value)
        form.setFieldValue(`${path}.options`, readOptions(event.currentTarget.value))
      }}
    />
  )
}
