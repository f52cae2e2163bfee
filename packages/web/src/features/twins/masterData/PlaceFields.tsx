import { Button, NumberInput, Text, TextInput } from '@mantine/core'
import { IconMapPinOff } from '@tabler/icons-react'
import { type ReactNode, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { onDemand } from '../../../lib/onDemand.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import classes from '../../../ui/forms/fields.module.css'
import { type MasterForm, numberOf } from '../../../ui/forms/masterValues.ts'
import { MapView } from '../../../ui/map/MapView.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { findTwins, nameTwin } from '../queries.ts'
import { AddressLookup } from './AddressLookup.tsx'

const MoveEffects = onDemand(() => import('../MoveEffects.tsx'))

/** Decimals of a position set on the map; five are about a metre. */
const positionDigits = 6
/** Decimals of a position that is entered. */
const enteredDigits = 7

interface PlaceFieldsProps {
  form: MasterForm
  kind: 'twin' | 'device'
  /** the twin or device itself, which cannot be its own parent */
  id?: number
  readOnly?: boolean
  /** whether it can be on a floor, or is one */
  withFloor?: boolean
  /** the map of a twin */
  map?: ReactNode
}

/** Parent twin, address, floor and position, also on a map, where a click sets it. */
export function PlaceFields(props: PlaceFieldsProps) {
  const { form, kind, id, readOnly = false, withFloor = true, map } = props
  const { t } = useTranslation()
  const values = form.getValues()
  const latitude = numberOf(values.latitude)
  const longitude = numberOf(values.longitude)
  const placed = isPlace(latitude) && isPlace(longitude)
  const set = (position: { latitude: number; longitude: number } | null) => setPosition(form, position)
  return (
    <Section
      title={t('masterData.place')}
      actions={
        placed && !readOnly ? (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            leftSection={<Icon of={IconMapPinOff} size={14} />}
            onClick={() => set(null)}
          >
            {t('masterData.removePosition')}
          </Button>
        ) : null
      }
    >
      <div className={classes.fields}>
        <EntityPicker
          label={t('masterData.parent')}
          description={t(`masterData.parentHint.${kind}`)}
          {...(kind === 'twin' ? { placeholder: t('masterData.noParent') } : {})}
          value={values.parentId}
          onChange={(parentId) => form.setFieldValue('parentId', parentId)}
          load={async (search) => (await findTwins(search)).filter(({ value }) => value !== String(id))}
          labelOf={nameTwin}
          error={form.errors.parentId}
        />
        {kind === 'twin' && id !== undefined && form.isDirty('parentId') ? (
          <div className={classes.wide}>
            <Suspense fallback={null}>
              <MoveEffects id={id} parentId={values.parentId} />
            </Suspense>
          </div>
        ) : null}
        {withFloor ? (
          <>
            <NumberInput
              label={t('masterData.floorNumber')}
              description={t('masterData.floorHint')}
              allowDecimal={false}
              min={-100}
              max={300}
              {...form.getInputProps('floorNumber')}
              value={values.floorNumber ?? ''}
            />
            <TextInput
              label={t('masterData.floorName')}
              placeholder={t('masterData.floorNameExample')}
              {...form.getInputProps('floorName')}
            />
          </>
        ) : null}
        <TextInput
          label={t('masterData.address')}
          rightSection={
            readOnly ? null : (
              <AddressLookup
                address={values.address}
                position={placed ? { latitude, longitude } : null}
                onChoose={({ address, latitude, longitude }) => {
                  form.setFieldValue('address', address)
                  set({ latitude, longitude })
                }}
              />
            )
          }
          {...form.getInputProps('address')}
        />
        {(['latitude', 'longitude'] as const).map((name) => (
          <NumberInput
            key={name}
            label={t(`masterData.${name}`)}
            decimalScale={enteredDigits}
            decimalSeparator={t('common.decimal')}
            allowedDecimalSeparators={[',', '.']}
            hideControls
            {...form.getInputProps(name)}
            value={values[name] ?? ''}
          />
        ))}
        {kind === 'device' ? (
          <div className={classes.wide}>
            {readOnly ? null : (
              <Text size="sm" c="dimmed" mb={6}>
                {t('masterData.mapHint')}
              </Text>
            )}
            <MapView
              plain
              height="280px"
              title={t('masterData.map')}
              points={placed ? [{ id: 'here', latitude, longitude, title: values.title }] : []}
              {...(readOnly ? {} : { onPick: set })}
            />
          </div>
        ) : null}
        {map ? <div className={classes.wide}>{map}</div> : null}
      </div>
    </Section>
  )
}

/** Sets a position that was picked on the map, or removes it. */
export function setPosition(
  form: Pick<MasterForm, 'setFieldValue'>,
  position: { latitude: number; longitude: number } | null,
): void {
  form.setFieldValue('latitude', position ? rounded(position.latitude) : null)
  form.setFieldValue('longitude', position ? rounded(position.longitude) : null)
}

function rounded(value: number): number {
  return Number(value.toFixed(positionDigits))
}

export function isPlace(value: number | null): value is number {
  return value !== null && Number.isFinite(value)
}
