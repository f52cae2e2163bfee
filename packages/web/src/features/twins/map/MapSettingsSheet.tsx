import {
  MapSettings,
  type MarkerStyle,
  mapRanges,
  markerLimits,
  markerStyles,
  maxZooms,
} from '@leitstand/contract/mapSettings'
import {
  Button,
  Group,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Text,
} from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { check } from '../../../lib/validation.ts'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { EditorSheet } from '../../../ui/forms/EditorSheet.tsx'
import { TagInput } from '../../../ui/forms/TagInput.tsx'
import { useFieldFaults } from '../../../ui/forms/useFieldFaults.ts'
import { useMapLayouts } from '../../../ui/map/useMapLayouts.ts'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { twinPath } from '../kinds.ts'
import { MarkerRules } from './MarkerRules.tsx'
import { fromDraft, toDraft, withRule } from './settingsDraft.ts'
import { stateChoices } from './stateChoices.ts'
import type { ShownSettings } from './useMapSettings.ts'

interface MapSettingsSheetProps {
  twinId: number
  title: string | undefined
  shown: ShownSettings & { settings: MapSettings }
  onClose: () => void
}

/** The settings of a map: saved for everybody by those who may change the twin, by others changed for this visit. */
export default function MapSettingsSheet({ twinId, title, shown, onClose }: MapSettingsSheetProps) {
  const { t } = useTranslation()
  // A style of the operator can be chosen for a visit only.
  const [first] = useState(() => {
    const { style } = shown.settings
    return toDraft({ ...shown.settings, style: style !== null && style <= mapRanges.style[1] ? style : null })
  })
  const [draft, setDraft] = useState(first)
  const current = useRef(draft)
  const change = (part: Partial<typeof draft>) => {
    current.current = { ...current.current, ...part }
    setDraft(current.current)
  }
  const { faults, attempt } = useFieldFaults(() => fromDraft(current.current), check(MapSettings))
  const states = useQuery(
    api.digitaltwin.mapStates.queryOptions({ input: twinId > 0 ? { twinId } : {}, staleTime: 60_000 }),
  )
  const tags = useQuery(api.digitaltwin.tagsZones.queryOptions({ staleTime: 60_000 }))
  const queries = useQueryClient()
  const taken = async () => {
    shown.change(null)
    await queries.invalidateQueries({ queryKey: api.digitaltwin.mapSettings.key() })
    onClose()
  }
  const version = shown.valid?.version ?? 0
  const save = useMutation({
    mutationFn: (settings: MapSettings) =>
      client.digitaltwin.setMapSettings({ id: twinId, version, settings }),
    onSuccess: async () => {
      notifySuccess(t('twins.map.settings.saved'))
      await taken()
    },
  })
  const remove = useMutation({
    mutationFn: () => client.digitaltwin.deleteMapSettings({ id: twinId }),
    onSuccess: taken,
  })
  const finish = (use: (settings: MapSettings) => void) => {
    if (Object.keys(attempt()).length === 0) use(fromDraft(current.current))
  }
  const apply = (settings: MapSettings) => {
    shown.change(settings)
    onClose()
  }
  const editable = shown.valid?.editable === true
  const chosen = [...draft.states, ...draft.operators.flatMap(({ state }) => state ?? [])]
  const choices = stateChoices(states.data?.items, chosen)
  return (
    <EditorSheet
      title={t('twins.map.settings.title')}
      size={640}
      saveLabel={t(editable ? 'twins.map.settings.save' : 'twins.map.settings.apply')}
      dirty={draft !== first}
      busy={save.isPending || remove.isPending}
      failure={save.error ?? remove.error ?? undefined}
      note={
        editable || shown.isOwn ? (
          <Group gap={8}>
            {editable ? (
              <Button variant="default" onClick={() => finish(apply)}>
                {t('twins.map.settings.applyOnly')}
              </Button>
            ) : null}
            {shown.isOwn ? (
              <Button variant="subtle" color="gray" onClick={() => void taken()}>
                {t('twins.map.settings.undo')}
              </Button>
            ) : null}
            {editable && version > 0 ? (
              <Button variant="subtle" color="red" onClick={() => remove.mutate()}>
                {t('twins.map.settings.remove')}
              </Button>
            ) : null}
          </Group>
        ) : null
      }
      onSave={() => finish(editable ? (settings) => save.mutate(settings) : apply)}
      onClose={onClose}
    >
      <Text size="sm" c="dimmed">
        {editable ? t('twins.map.settings.text', { title: title ?? '' }) : t('twins.map.settings.visitText')}
        {shown.valid?.from && shown.valid.from.id !== twinId ? (
          <>
            {' '}
            {t('twins.map.settings.from')}{' '}
            <RouterLink to={twinPath(shown.valid.from.id)} underline="always">
              {shown.valid.from.title}
            </RouterLink>
            .
          </>
        ) : null}
      </Text>
      <MultiSelect
        data-autofocus
        openOnFocus={false}
        label={t('twins.map.settings.states')}
        description={t('twins.map.settings.statesHint')}
        data={choices}
        value={draft.states}
        onChange={(next) => change({ states: next })}
        maxValues={markerLimits.statesMax}
        searchable
        clearable
        nothingFoundMessage={t('common.nothingFound')}
      />
      <TagInput
        label={t('twins.map.settings.tags')}
        description={t('twins.map.settings.tagsHint')}
        value={draft.tags}
        suggestions={tags.data?.tags ?? []}
        max={markerLimits.tagsMax}
        onChange={(next) => change({ tags: next })}
      />
      <div>
        <Text size="sm" fw={500} mb={4} id="marker-style">
          {t('sharing.map.markerstyle')}
        </Text>
        <SegmentedControl
          aria-labelledby="marker-style"
          data={markerStyles.map((value) => ({ value, label: t(`sharing.map.markers.${value}`) }))}
          value={draft.markerStyle}
          onChange={(value) => change({ markerStyle: value as MarkerStyle })}
        />
      </div>
      <MarkerRules
        rules={draft.operators}
        states={choices}
        faults={faults}
        max={markerLimits.operatorsMax}
        onChange={(operators) => change({ operators })}
        onAdd={() => change(withRule(current.current))}
      />
      <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm">
        <LayoutField value={draft.style} onChange={(style) => change({ style })} />
        {(['distance', 'pitch', 'bearing', 'zoom'] as const).map((key) => (
          <NumberInput
            key={key}
            label={t(`sharing.map.${key}`)}
            placeholder={key === 'zoom' ? t('sharing.map.fits') : ''}
            min={mapRanges[key][0]}
            max={mapRanges[key][1]}
            allowDecimal={false}
            value={draft[key] ?? ''}
            onChange={(value) => change({ [key]: value === '' ? null : Number(value) })}
            error={faults[key]}
          />
        ))}
        <Select
          label={t('twins.map.settings.maxZoom')}
          placeholder={t('sharing.map.fits')}
          clearable
          data={maxZooms.map((zoom) => ({
            value: String(zoom),
            label: t(`twins.map.settings.maxZooms.${zoom}`),
          }))}
          value={draft.maxZoom === null ? null : String(draft.maxZoom)}
          onChange={(zoom) => change({ maxZoom: zoom === null ? null : Number(zoom) })}
          error={faults.maxZoom}
        />
      </SimpleGrid>
    </EditorSheet>
  )
}

interface LayoutFieldProps {
  value: number | null
  onChange: (style: number | null) => void
}

function LayoutField({ value, onChange }: LayoutFieldProps) {
  const { t } = useTranslation()
  const layouts = useMapLayouts().slice(0, mapRanges.style[1])
  return (
    <Select
      label={t('map.layout')}
      placeholder={t('twins.map.settings.ownLayout')}
      clearable
      data={layouts.map(({ title }, at) => ({ value: String(at + 1), label: title }))}
      value={value === null ? null : String(value)}
      onChange={(style) => onChange(style === null ? null : Number(style))}
    />
  )
}
