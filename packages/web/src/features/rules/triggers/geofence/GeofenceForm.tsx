import {
  type GeofenceArea,
  type GeofenceMode,
  type GeofenceTrigger,
  geofenceLimits,
  geofenceModes,
  isDwelling,
  isProximity,
} from '@leitstand/contract/rules/triggers/geofence'
import {
  Button,
  Collapse,
  NumberInput,
  type NumberInputProps,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
} from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../../lib/api.ts'
import { Icon } from '../../../../ui/display/Icon.tsx'
import { EntityMultiPicker, EntityPicker } from '../../../../ui/forms/EntityPicker.tsx'
import { boundsOfArea, circleAround } from '../../../../ui/map/area.ts'
import { MapView } from '../../../../ui/map/MapView.tsx'
import { readTwinName } from '../../useTwinNames.ts'
import type { TriggerFormProps } from '../types.ts'

const areaKinds = ['zones', 'circle', 'twin'] as const
type Circle = Extract<GeofenceArea, { kind: 'circle' }>

/** Decimals of a position set on the map: about a decimetre. */
const positionDigits = 6
const optionsMax = 20

/** What a mode needs and the other ones do not. */
function withMode(trigger: GeofenceTrigger, mode: GeofenceMode): GeofenceTrigger {
  const { minutes = 10, distance = 500, ...rest } = trigger
  return {
    ...rest,
    mode,
    ...(isDwelling(mode) ? { minutes } : {}),
    ...(isProximity(mode) ? { distance } : {}),
  }
}

function emptyArea(kind: GeofenceArea['kind']): GeofenceArea {
  if (kind === 'zones') return { kind, zoneIds: [] }
  if (kind === 'twin') return { kind, twinId: 0, radius: 50 }
  return { kind, latitude: Number.NaN, longitude: Number.NaN, radius: 100 }
}

/** Who crosses which area, and how. */
export default function GeofenceForm(props: TriggerFormProps<GeofenceTrigger>) {
  const { trigger, isForMany, faultAt, onChange } = props
  const { t } = useTranslation()
  const [isMore, setMore] = useState(trigger.margin !== 10)
  const { mode, area, below, minutes, distance, margin } = trigger
  const setArea = (changed: GeofenceArea) => onChange({ ...trigger, area: changed })
  const marginFault = faultAt('margin')
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={t('rules.triggers.on')}
          allowDeselect={false}
          data={geofenceModes.map((each) => ({
            value: each,
            label: t(`rules.triggers.geofence.modes.${each}`),
          }))}
          value={mode}
          onChange={(next) => onChange(withMode(trigger, (next ?? 'enter') as GeofenceMode))}
        />
        {isDwelling(mode) ? (
          <Metres
            label={t('rules.triggers.minutes')}
            suffix=""
            allowDecimal={false}
            max={geofenceLimits.minutesMax}
            value={minutes}
            onValue={(value) => onChange({ ...trigger, minutes: value })}
            error={faultAt('minutes')}
          />
        ) : isProximity(mode) ? (
          <Metres
            label={t('rules.triggers.geofence.distance')}
            max={geofenceLimits.distanceMax}
            value={distance}
            onValue={(value) => onChange({ ...trigger, distance: value })}
            error={faultAt('distance')}
          />
        ) : null}
      </SimpleGrid>
      {isForMany ? (
        <Text size="sm" c="dimmed">
          {t('rules.triggers.geofence.many')}
        </Text>
      ) : (
        <Switch
          label={t('rules.triggers.geofence.below')}
          description={t('rules.triggers.geofence.belowHint')}
          checked={below}
          onChange={(event) => onChange({ ...trigger, below: event.currentTarget.checked })}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={t('rules.triggers.geofence.area')}
          allowDeselect={false}
          data={areaKinds.map((kind) => ({ value: kind, label: t(`rules.triggers.geofence.areas.${kind}`) }))}
          value={area.kind}
          onChange={(kind) => setArea(emptyArea((kind ?? 'zones') as GeofenceArea['kind']))}
        />
        {area.kind === 'zones' ? (
          <EntityMultiPicker
            label={t('rules.triggers.geofence.zones')}
            required
            nothing={t('rules.triggers.geofence.noZones')}
            value={area.zoneIds.map(String)}
            onChange={(ids) =>
              setArea({ ...area, zoneIds: ids.slice(0, geofenceLimits.zonesMax).map(Number) })
            }
            load={findZones}
            labelOf={async (id) => (await readTwinName(Number(id))) ?? t('rules.triggers.gone')}
            error={faultAt('area')}
          />
        ) : area.kind === 'twin' ? (
          <EntityPicker
            label={t('rules.triggers.geofence.twin')}
            required
            value={area.twinId > 0 ? String(area.twinId) : null}
            onChange={(id) => setArea({ ...area, twinId: Number(id ?? 0) })}
            load={findMoving}
            labelOf={async (id) => (await readTwinName(Number(id))) ?? t('rules.triggers.gone')}
            error={faultAt('area')}
          />
        ) : (
          <Metres
            label={t('rules.triggers.geofence.radius')}
            max={geofenceLimits.radiusMax}
            value={area.radius}
            onValue={(radius) => setArea({ ...area, radius })}
          />
        )}
      </SimpleGrid>
      {area.kind === 'twin' && !isProximity(mode) ? (
        <Metres
          label={t('rules.triggers.geofence.radius')}
          max={geofenceLimits.radiusMax}
          value={area.radius}
          onValue={(radius) => setArea({ ...area, radius })}
        />
      ) : null}
      {area.kind === 'circle' ? (
        <CircleFields area={area} onChange={setArea} error={faultAt('area')} />
      ) : null}
      <div>
        <Button
          variant="subtle"
          size="compact-sm"
          aria-expanded={isMore}
          leftSection={<Icon of={isMore ? IconChevronDown : IconChevronRight} size={14} />}
          onClick={() => setMore(!isMore)}
        >
          {t('common.more')}
        </Button>
        <Collapse expanded={isMore || marginFault !== null} pt={4}>
          <Metres
            label={t('rules.triggers.geofence.margin')}
            description={t('rules.triggers.geofence.marginHint')}
            min={0}
            max={geofenceLimits.marginMax}
            value={margin}
            onValue={(value) => onChange({ ...trigger, margin: value })}
            error={marginFault}
          />
        </Collapse>
      </div>
    </Stack>
  )
}

interface MetresProps extends Omit<NumberInputProps, 'value' | 'onChange' | 'error'> {
  value: number | undefined
  /** not a number while the field is empty */
  onValue: (value: number) => void
  error?: string | null
}

/** A positive number, of metres unless it has another suffix. */
function Metres({ value, onValue, ...field }: MetresProps) {
  const { t } = useTranslation()
  return (
    <NumberInput
      min={1}
      suffix=" m"
      allowNegative={false}
      clampBehavior="strict"
      decimalSeparator={t('common.decimal')}
      allowedDecimalSeparators={[',', '.']}
      {...field}
      value={value === undefined || Number.isNaN(value) ? '' : value}
      onChange={(next) => onValue(next === '' ? Number.NaN : Number(next))}
    />
  )
}

/** Middle and radius of a circle, also on a map, where a click sets the middle. */
function CircleFields(props: { area: Circle; onChange: (area: Circle) => void; error: string | null }) {
  const { area, onChange, error } = props
  const { latitude, longitude, radius } = area
  const { t } = useTranslation()
  const isPlaced = Number.isFinite(latitude) && Number.isFinite(longitude)
  const polygon = useMemo(
    () => (isPlaced && radius > 0 ? circleAround({ latitude, longitude }, radius) : null),
    [isPlaced, latitude, longitude, radius],
  )
  const [focus, setFocus] = useState(() => polygon && boundsOfArea(polygon))
  const title = t('rules.triggers.geofence.circleMap')
  const points = useMemo(
    () => (isPlaced ? [{ id: 'middle', latitude, longitude, title }] : []),
    [isPlaced, latitude, longitude, title],
  )
  const areas = useMemo(() => (polygon ? [{ polygon }] : []), [polygon])
  const place = (middle: { latitude: number; longitude: number }) =>
    onChange({
      ...area,
      latitude: Number(middle.latitude.toFixed(positionDigits)),
      longitude: Number(middle.longitude.toFixed(positionDigits)),
    })
  const coordinate = (axis: 'latitude' | 'longitude', degreesMax: number) => (
    <NumberInput
      label={t(`masterData.${axis}`)}
      required
      hideControls
      min={-degreesMax}
      max={degreesMax}
      clampBehavior="strict"
      decimalScale={positionDigits + 1}
      decimalSeparator={t('common.decimal')}
      allowedDecimalSeparators={[',', '.']}
      value={Number.isFinite(area[axis]) ? area[axis] : ''}
      onChange={(next) => onChange({ ...area, [axis]: next === '' ? Number.NaN : Number(next) })}
      onBlur={() => setFocus(polygon && boundsOfArea(polygon))}
      error={error}
    />
  )
  return (
    <>
      <SimpleGrid cols={2}>
        {coordinate('latitude', 90)}
        {coordinate('longitude', 180)}
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        {t('rules.triggers.geofence.circleHint')}
      </Text>
      <MapView
        plain
        height="240px"
        title={title}
        points={points}
        areas={areas}
        focus={focus ?? undefined}
        onPick={place}
        onMove={(_id, middle) => place(middle)}
      />
    </>
  )
}

async function findZones(search: string) {
  const { items } = await client.digitaltwin.list({
    limit: optionsMax,
    types: ['zone'],
    ...(search ? { search } : {}),
  })
  return items.map(({ id, title }) => ({ value: String(id), label: title }))
}

/** Twins and devices: both may move. */
async function findMoving(search: string) {
  const input = { limit: optionsMax / 2, ...(search ? { search } : {}) }
  const [twins, devices] = await Promise.all([
    client.digitaltwin.list(input),
    client.virtualdevice
      .list({ limit: optionsMax / 2, ...(search ? { search_items: search } : {}) })
      .catch(() => null),
  ])
  return [...twins.items, ...(devices?.items ?? [])].map(({ id, title }) => ({
    value: String(id),
    label: title,
  }))
}
