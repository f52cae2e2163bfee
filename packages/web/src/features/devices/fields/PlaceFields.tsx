import { Button, NumberInput, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconMapPinOff } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import classes from '../../../ui/forms/fields.module.css'
import { MapView } from '../../../ui/map/MapView.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { findTwins, nameTwin } from '../../twins/index.ts'
import type { DeviceValues } from '../values.ts'

/** Decimals of a position; five are about a metre. */
const positionDigits = 6

interface PlaceFieldsProps {
  form: UseFormReturnType<DeviceValues>
  readOnly?: boolean
}

/** Parent twin, address, floor, and the position on a map: a click sets it. */
export function PlaceFields({ form, readOnly = false }: PlaceFieldsProps) {
  const { t } = useTranslation()
  const values = form.getValues()
  const latitude = numberOf(values.latitude)
  const longitude = numberOf(values.longitude)
  const placed = latitude !== null && longitude !== null
  const set = (position: { latitude: number; longitude: number } | null) => {
    form.setFieldValue('latitude', position ? rounded(position.latitude) : null)
    form.setFieldValue('longitude', position ? rounded(position.longitude) : null)
    form.clearFieldError('latitude')
    form.clearFieldError('longitude')
  }
  return (
    <Section
      title={t('devices.section.place')}
      actions={
        placed ? (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            leftSection={<Icon of={IconMapPinOff} size={14} />}
            onClick={() => set(null)}
          >
            {t('devices.form.removePosition')}
          </Button>
        ) : null
      }
    >
      <div className={classes.fields}>
        <EntityPicker
          label={t('devices.field.parent')}
          description={t('devices.form.parentHint')}
          value={values.parentId}
          onChange={(id) => form.setFieldValue('parentId', id)}
          load={findTwins}
          labelOf={nameTwin}
          error={form.errors.parentId}
        />
        <NumberInput
          label={t('devices.field.floorNumber')}
          description={t('devices.form.floorHint')}
          allowDecimal={false}
          min={-100}
          max={300}
          {...form.getInputProps('floorNumber')}
          value={values.floorNumber ?? ''}
        />
        <TextInput
          label={t('devices.field.floorName')}
          placeholder={t('devices.form.floorNameExample')}
          {...form.getInputProps('floorName')}
        />
        <TextInput label={t('devices.field.address')} {...form.getInputProps('address')} />
        <NumberInput
          label={t('devices.field.latitude')}
          decimalScale={positionDigits}
          {...form.getInputProps('latitude')}
          value={values.latitude ?? ''}
        />
        <NumberInput
          label={t('devices.field.longitude')}
          decimalScale={positionDigits}
          {...form.getInputProps('longitude')}
          value={values.longitude ?? ''}
        />
        <div className={classes.wide}>
          {readOnly ? null : (
            <Text size="sm" c="dimmed" mb={6}>
              {t('devices.form.mapHint')}
            </Text>
          )}
          <MapView
            plain
            height="280px"
            title={t('devices.form.map')}
            points={placed ? [{ id: 'here', latitude, longitude, title: values.title }] : []}
            {...(readOnly ? {} : { onPick: set })}
          />
        </div>
      </div>
    </Section>
  )
}

function rounded(value: number): number {
  return Number(value.toFixed(positionDigits))
}

function numberOf(value: number | string | null): number | null {
  if (value === null || value === '') return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}
