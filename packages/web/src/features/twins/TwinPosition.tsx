import type { Twin } from '@leitstand/contract/twins'
import { Button, Group, Text } from '@mantine/core'
import { IconMapPinOff } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import type { Tone } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { useUnsavedGuard } from '../../ui/forms/useLeave.tsx'
import { boundsOfArea, followed } from '../../ui/map/area.ts'
import { type MapPlan, MapView } from '../../ui/map/MapView.tsx'
import { boundsOfPlan } from '../../ui/map/planCorners.ts'
import { Section } from '../../ui/page/Section.tsx'
import { TwinFailure } from './area/TwinFailure.tsx'
import { useTwinsChanged } from './queries.ts'

interface Position {
  latitude: number
  longitude: number
}

interface TwinPositionProps {
  twin: Twin
  tone: Tone
  /** of its floor */
  plan: MapPlan | undefined
}

/** A twin's position on the map: a click sets it, saving stores it. A circle around it moves along. */
export default function TwinPosition({ twin, tone, plan }: TwinPositionProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const changed = useTwinsChanged()
  const stored = storedPosition(twin)
  // undefined: unchanged; null: removed
  const [draft, setDraft] = useState<Position | null | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const position = draft === undefined ? stored : draft
  const geoPolygon = useMemo(() => {
    const from = storedPosition(twin)
    return from && draft ? followed(twin.geoPolygon, from, draft) : twin.geoPolygon
  }, [twin, draft])
  const areas = useMemo(() => (geoPolygon ? [{ polygon: geoPolygon, tone }] : []), [geoPolygon, tone])
  const [focus] = useState(() => {
    if (geoPolygon) return boundsOfArea(geoPolygon)
    return plan && boundsOfPlan(plan.corners)
  })
  const guard = useUnsavedGuard(draft !== undefined && !busy)
  const place = ({ latitude, longitude }: Position) =>
    setDraft({ latitude: round(latitude), longitude: round(longitude) })
  const save = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      const next = await client.digitaltwin.update({
        ...twin,
        latitude: position?.latitude ?? null,
        longitude: position?.longitude ?? null,
        geoPolygon,
      })
      cache.setQueryData(api.digitaltwin.get.queryKey({ input: { id: twin.id } }), next)
      setDraft(undefined)
      notifySuccess(t('twins.positionSaved'))
      await changed()
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Section
      title={t('twins.position')}
      description={t(twin.editable ? 'twins.positionHint' : 'twins.positionReadOnly')}
      actions={
        twin.editable ? (
          <Group gap={8}>
            {position ? (
              <Button
                variant="default"
                leftSection={<Icon of={IconMapPinOff} />}
                onClick={() => setDraft(stored === null ? undefined : null)}
              >
                {t('twins.clearPosition')}
              </Button>
            ) : null}
            {draft === undefined ? null : (
              <>
                <Button variant="default" onClick={() => setDraft(undefined)}>
                  {t('form.discard')}
                </Button>
                <Button loading={busy} onClick={() => void save()}>
                  {t('twins.savePosition')}
                </Button>
              </>
            )}
          </Group>
        ) : null
      }
    >
      {failure === undefined ? null : <TwinFailure id={twin.id} error={failure} />}
      <Text size="sm" c="dimmed" mb="xs" className="tabular" aria-live="polite">
        {position
          ? `${position.latitude.toFixed(5)}, ${position.longitude.toFixed(5)}`
          : t('twins.noPosition')}
      </Text>
      <MapView
        title={t('twins.mapOf', { title: twin.title })}
        height="460px"
        plain
        areas={areas}
        plan={plan}
        focus={focus}
        points={
          position
            ? [
                {
                  id: String(twin.id),
                  title: twin.title,
                  tone: 'accent',
                  detail: twin.address,
                  ...position,
                },
              ]
            : []
        }
        {...(twin.editable ? { onPick: place, onMove: (_id: string, moved: Position) => place(moved) } : {})}
      />
      {guard}
    </Section>
  )
}

function storedPosition({ latitude, longitude }: Twin): Position | null {
  return latitude === null || longitude === null ? null : { latitude, longitude }
}

/** Seven decimals are about one centimetre. */
function round(degrees: number): number {
  return Math.round(degrees * 1e7) / 1e7
}
