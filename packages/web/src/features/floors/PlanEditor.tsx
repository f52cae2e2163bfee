import type { StoredFile } from '@leitstand/contract/files'
import { type Corners, cornersFault, type Overlay } from '@leitstand/contract/floors'
import type { Twin } from '@leitstand/contract/twins'
import { Alert, Button, Group, NumberInput, Slider, Text } from '@mantine/core'
import { IconInfoCircle, IconTarget } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { usePicture } from '../../ui/display/pictures.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { useUnsavedGuard } from '../../ui/forms/useLeave.tsx'
import type { Place } from '../../ui/map/area.ts'
import { MapView } from '../../ui/map/MapView.tsx'
import { angleOf, boundsOfPlan, turned, uprightAt, widthOf } from '../../ui/map/planCorners.ts'
import { BoundsFields } from './BoundsFields.tsx'
import classes from './floors.module.css'
import { Matching } from './Matching.tsx'
import { useMatching } from './useMatching.ts'

/** Metres that a new plan is wide. */
const firstWidthM = 40
const firstOpacity = 0.8

interface PlanEditorProps {
  twin: Twin
  picture: StoredFile
  overlay: Overlay | null
}

interface Draft {
  corners: Corners
  opacity: number
}

/** The plan on the map, with handles, numbers and three points to place it. */
export function PlanEditor({ twin, picture, overlay }: PlanEditorProps) {
  const { t } = useTranslation()
  const { url, error } = usePicture(picture)
  const aspect = useAspect(url)
  const around = usePlace(twin)
  if (error) return <ErrorText error={error} />
  if (around.error) return <ErrorState error={around.error} onRetry={around.retry} compact />
  if (url === undefined || aspect === undefined || around.isPending) return <Loading lines={10} />
  const stored = overlay?.fileId === picture.id ? overlay : null
  if (!stored && !around.place)
    return (
      <Alert variant="light" color="gray" icon={<Icon of={IconInfoCircle} />}>
        {t('floors.noPlace')}
      </Alert>
    )
  return (
    <Placing
      key={url}
      twin={twin}
      picture={picture}
      url={url}
      aspect={aspect}
      stored={stored && { corners: stored.corners, opacity: stored.opacity }}
      around={around.place}
    />
  )
}

interface PlacingProps {
  twin: Twin
  picture: StoredFile
  url: string
  aspect: number
  stored: Draft | null
  around: Place | null
}

function Placing({ twin, picture, url, aspect, stored, around }: PlacingProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const first = useMemo(
    () => stored ?? { corners: uprightAt(around as Place, firstWidthM, aspect), opacity: firstOpacity },
    [stored, around, aspect],
  )
  const [draft, setDraft] = useState<Draft>()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const shown = draft ?? first
  const { corners, opacity } = shown
  const change = (part: Partial<Draft>) => setDraft({ ...shown, ...part })
  const matching = useMatching((next) => change({ corners: next }))
  // Where the map begins; it stays there while the plan is dragged.
  const [focus, setFocus] = useState(() => boundsOfPlan(first.corners))
  const fault = cornersFault(corners)
  const guard = useUnsavedGuard(draft !== undefined && !busy)
  const points = useMemo(() => matching.points(t), [matching, t])
  const save = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      await client.floor.place({ id: twin.id, fileId: picture.id, corners, opacity })
      await cache.invalidateQueries({ queryKey: api.floor.list.key() })
      setDraft(undefined)
      notifySuccess(t('floors.saved'))
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  const { editable } = twin
  return (
    <div className={classes.editor} data-matching={matching.isOn || undefined}>
      {matching.isOn ? <Matching url={url} name={picture.name} matching={matching} /> : null}
      <div className={classes.onMap}>
        <MapView
          plain
          height="520px"
          title={t('floors.mapOf', { title: twin.title })}
          points={points}
          focus={focus}
          plan={{
            url,
            corners,
            opacity,
            onChange: editable && !matching.isOn ? (next) => change({ corners: next }) : undefined,
          }}
          {...(matching.isOn ? { onPick: matching.pickPlace } : {})}
        />
        {editable ? (
          <Text size="sm" c="dimmed" mt={6}>
            {t(matching.isOn ? 'floors.matching.hint' : 'floors.handles.hint')}
          </Text>
        ) : null}
      </div>
      {editable ? (
        <div className={classes.fields}>
          <div>
            <Text size="sm" fw={550} mb={4} id="plan-opacity">
              {t('floors.opacity')}
            </Text>
            <Slider
              min={10}
              max={100}
              step={5}
              label={(value) => `${value} %`}
              value={Math.round(opacity * 100)}
              onChange={(value) => change({ opacity: value / 100 })}
              thumbProps={{ 'aria-labelledby': 'plan-opacity' }}
            />
          </div>
          <Group grow gap={12} align="flex-start">
            <NumberInput
              label={t('floors.width')}
              suffix=" m"
              decimalScale={2}
              min={1}
              max={20_000}
              hideControls
              value={Number(widthOf(corners).toFixed(2))}
              onChange={(value) => {
                if (typeof value === 'number' && value >= 1 && Math.abs(value - widthOf(corners)) > 0.01)
                  change({ corners: turned(corners, 0, value / widthOf(corners)) })
              }}
            />
            <NumberInput
              label={t('floors.angle')}
              suffix="°"
              decimalScale={1}
              min={-360}
              max={360}
              value={Number(angleOf(corners).toFixed(1))}
              onChange={(value) => {
                if (typeof value === 'number' && Math.abs(value - angleOf(corners)) > 0.05)
                  change({ corners: turned(corners, value - angleOf(corners)) })
              }}
            />
          </Group>
          <BoundsFields corners={corners} onChange={(next) => change({ corners: next })} />
          <Button
            variant={matching.isOn ? 'filled' : 'default'}
            aria-pressed={matching.isOn}
            leftSection={<Icon of={IconTarget} size={16} />}
            onClick={matching.toggle}
          >
            {t('floors.matching.start')}
          </Button>
          {fault ? (
            <Text size="sm" c="var(--health-error)" role="alert">
              {t(`floors.shape.${fault}`)}
            </Text>
          ) : null}
          {failure === undefined ? null : <ErrorText error={failure} />}
          <Group gap={8} justify="flex-end">
            <Button variant="subtle" color="gray" onClick={() => setFocus(boundsOfPlan(corners))}>
              {t('floors.show')}
            </Button>
            {draft && stored ? (
              <Button variant="default" onClick={() => setDraft(undefined)}>
                {t('form.discard')}
              </Button>
            ) : null}
            <Button
              loading={busy}
              disabled={fault !== null || (stored !== null && draft === undefined)}
              onClick={() => void save()}
            >
              {t('floors.save')}
            </Button>
          </Group>
        </div>
      ) : null}
      {guard}
    </div>
  )
}

/** Width by height of a picture. */
function useAspect(url: string | undefined): number | undefined {
  const [aspect, setAspect] = useState<number>()
  useEffect(() => {
    if (url === undefined) return undefined
    let isOver = false
    const image = new Image()
    image.src = url
    image.onload = () => {
      if (!isOver && image.naturalHeight > 0) setAspect(image.naturalWidth / image.naturalHeight)
    }
    return () => {
      isOver = true
    }
  }, [url])
  return aspect
}

/** Where the floor is, or its building. */
function usePlace(twin: Twin) {
  const own = placeOf(twin)
  const parent = useQuery(
    api.digitaltwin.get.queryOptions({
      input: { id: twin.parentId ?? 0 },
      enabled: own === null && twin.parentId !== null,
    }),
  )
  return {
    place: own ?? (parent.data ? placeOf(parent.data) : null),
    isPending: parent.isLoading,
    error: parent.isLoadingError ? parent.error : undefined,
    retry: () => void parent.refetch(),
  }
}

function placeOf({ latitude, longitude }: Pick<Twin, 'latitude' | 'longitude'>): Place | null {
  return latitude === null || longitude === null ? null : { latitude, longitude }
}
