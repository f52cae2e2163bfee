import { ActionIcon, Checkbox, NumberInput, Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconAdjustmentsHorizontal, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import type { DriverValues } from '../values.ts'
import { type FieldValues, fieldTypes, inUnit } from './layoutValues.ts'
import { fieldColors } from './PayloadPicture.tsx'
import classes from './parser.module.css'

interface FieldRowProps {
  form: UseFormReturnType<DriverValues>
  /** `parser.layouts.0.fields.2` */
  path: string
  index: number
  field: FieldValues
  onActive: (active: boolean) => void
  onRemove: () => void
}

/** One field of a layout: name, type and position in one line; other settings behind a button. */
export function FieldRow({ form, path, index, field, onActive, onRemove }: FieldRowProps) {
  const { t } = useTranslation()
  const hidden = ['factor', 'summand', 'decimals'].some((key) => form.errors[`${path}.${key}`] !== undefined)
  const [opened, setOpened] = useState(false)
  const number = index + 1
  const label = (key: string) => `${t(`drivers.layout.${key}`)} ${number}`
  return (
    <li
      className={classes.field}
      onFocus={() => onActive(true)}
      onBlur={() => onActive(false)}
      onMouseEnter={() => onActive(true)}
      onMouseLeave={() => onActive(false)}
    >
      <div className={classes.main}>
        <span className={classes.swatch} data-field={index % fieldColors} aria-hidden>
          {number}
        </span>
        <TextInput
          className={classes.target ?? ''}
          classNames={{ root: classes.mono ?? '' }}
          label={t('drivers.layout.target')}
          aria-label={label('target')}
          placeholder="temperature"
          spellCheck={false}
          {...form.getInputProps(`${path}.target`)}
        />
        <Select
          className={classes.type ?? ''}
          label={t('drivers.layout.type')}
          aria-label={label('type')}
          data={fieldTypes.map((type) => ({ value: type, label: t(`drivers.layout.types.${type}`) }))}
          allowDeselect={false}
          {...form.getInputProps(`${path}.type`)}
        />
        <NumberInput
          className={classes.offset ?? ''}
          label={t('drivers.layout.offset')}
          aria-label={label('offset')}
          min={0}
          allowDecimal={false}
          hideControls
          {...form.getInputProps(`${path}.offset`)}
        />
        <NumberInput
          label={t('drivers.layout.length')}
          aria-label={label('length')}
          min={1}
          allowDecimal={false}
          hideControls
          {...form.getInputProps(`${path}.length`)}
        />
        <Select
          label={t('drivers.layout.unit')}
          aria-label={label('unit')}
          data={(['byte', 'bit'] as const).map((unit) => ({
            value: unit,
            label: t(`drivers.layout.units.${unit}`),
          }))}
          value={field.unit}
          onChange={(unit) => form.setFieldValue(path, inUnit(field, unit === 'bit' ? 'bit' : 'byte'))}
          allowDeselect={false}
        />
        <span className={classes.tools}>
          <ActionIcon
            aria-label={t('drivers.layout.more', { number })}
            aria-expanded={opened || hidden}
            onClick={() => setOpened(!opened)}
          >
            <Icon of={IconAdjustmentsHorizontal} size={16} />
          </ActionIcon>
          <RemoveButton icon={IconX} label={t('drivers.layout.remove', { number })} onClick={onRemove} />
        </span>
      </div>
      {opened || hidden ? <Details form={form} path={path} field={field} number={number} /> : null}
    </li>
  )
}

const withNumbers: readonly FieldValues['type'][] = ['integer', 'float', 'bcd']

function Details(props: {
  form: UseFormReturnType<DriverValues>
  path: string
  field: FieldValues
  number: number
}) {
  const { t } = useTranslation()
  const { form, path, field, number } = props
  const isNumber = withNumbers.includes(field.type)
  const scale = ['factor', 'summand'] as const
  const decimal = {
    decimalSeparator: t('common.decimal'),
    allowedDecimalSeparators: [',', '.'],
    hideControls: true,
  }
  return (
    <div className={classes.details}>
      {isNumber ? (
        <Select
          label={t('drivers.layout.endian')}
          aria-label={`${t('drivers.layout.endian')} ${number}`}
          data={(['big', 'little'] as const).map((endian) => ({
            value: endian,
            label: t(`drivers.layout.endians.${endian}`),
          }))}
          allowDeselect={false}
          {...form.getInputProps(`${path}.endian`)}
        />
      ) : null}
      {field.type === 'text' ? (
        <Select
          label={t('drivers.layout.encoding')}
          data={(['utf8', 'latin1', 'hex'] as const).map((encoding) => ({
            value: encoding,
            label: t(`drivers.layout.encodings.${encoding}`),
          }))}
          allowDeselect={false}
          {...form.getInputProps(`${path}.encoding`)}
        />
      ) : null}
      {isNumber
        ? scale.map((key) => (
            <NumberInput
              key={key}
              label={t(`drivers.layout.${key}`)}
              aria-label={`${t(`drivers.layout.${key}`)} ${number}`}
              {...decimal}
              {...form.getInputProps(`${path}.${key}`)}
            />
          ))
        : null}
      {isNumber ? (
        <NumberInput
          label={t('drivers.layout.decimals')}
          aria-label={`${t('drivers.layout.decimals')} ${number}`}
          placeholder={t('drivers.layout.notRounded')}
          min={0}
          max={10}
          clampBehavior="none"
          allowDecimal={false}
          hideControls
          {...form.getInputProps(`${path}.decimals`)}
        />
      ) : null}
      {field.type === 'integer' ? (
        <Checkbox
          pb={8}
          label={t('drivers.layout.signed')}
          {...form.getInputProps(`${path}.signed`, { type: 'checkbox' })}
        />
      ) : null}
      {field.type === 'boolean' ? (
        <Checkbox
          pb={8}
          label={t('drivers.layout.inverted')}
          {...form.getInputProps(`${path}.inverted`, { type: 'checkbox' })}
        />
      ) : null}
      <Checkbox
        pb={8}
        label={t('drivers.layout.optional')}
        {...form.getInputProps(`${path}.optional`, { type: 'checkbox' })}
      />
    </div>
  )
}
