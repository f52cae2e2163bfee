import { ObjectFields, type Twin, TwinType } from '@leitstand/contract/twins'
import { NumberInput, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { api, client } from '../../lib/api.ts'
import { check } from '../../lib/validation.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { changedPosition } from '../../ui/forms/changedPosition.ts'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { FormLayout } from '../../ui/forms/FormLayout.tsx'
import { IconPicker } from '../../ui/forms/IconPicker.tsx'
import { KeyValueEditor } from '../../ui/forms/KeyValueEditor.tsx'
import { TagInput } from '../../ui/forms/TagInput.tsx'
import { useSyncedForm } from '../../ui/forms/useSyncedForm.ts'
import { Section } from '../../ui/page/Section.tsx'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { twinTypeNames, typeIcons } from './kinds.ts'
import { findTwins, nameTwin, useTwinsChanged } from './queries.ts'
import { ReferenceIds } from './ReferenceIds.tsx'
import { ResponsibleSection } from './responsible/ResponsibleSection.tsx'
import { twinSections } from './slots.ts'

const Schema = z.object({ ...ObjectFields, type: TwinType })

interface Values extends Record<string, unknown> {
  title: string
  description: string
  type: Twin['type']
  parentId: string | null
  tags: string[]
  zones: string[]
  icon: string | null
  address: string
  floorNumber: number | null
  floorName: string
  keyValues: Record<string, string>
  referenceIds: { name: string; value: string }[]
  latitude: number | null
  longitude: number | null
}

function toValues(twin: Twin): Values {
  return {
    title: twin.title,
    description: twin.description,
    type: twin.type,
    tags: twin.tags,
    zones: twin.zones,
    icon: twin.icon,
    address: twin.address,
    floorNumber: twin.floorNumber,
    floorName: twin.floorName,
    keyValues: twin.keyValues,
    referenceIds: twin.referenceIds,
    latitude: twin.latitude,
    longitude: twin.longitude,
    parentId: twin.parentId === null ? null : String(twin.parentId),
  }
}

/** Master data of a twin: title, type, parent, tags, address, custom fields, reference ids. */
export default function MasterData({ twin }: { twin: Twin }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const changed = useTwinsChanged()
  const used = useQuery(api.digitaltwin.tagsZones.queryOptions({ staleTime: 60_000 }))
  const form = useForm<Values>({
    initialValues: toValues(twin),
    validate: check(Schema),
    validateInputOnChange: true,
  })
  const { version, accept } = useSyncedForm(form, twin, toValues)
  const save = async ({ parentId, latitude, longitude, ...values }: Values) => {
    const stored = (await client.digitaltwin.update({
      ...values,
      ...changedPosition({ latitude, longitude }, (field) => form.isDirty(field)),
      id: twin.id,
      version,
      geoPolygon: twin.geoPolygon,
      parentId: parentId === null ? null : Number(parentId),
    })) as Twin
    accept(stored)
    cache.setQueryData(api.digitaltwin.get.queryKey({ input: { id: twin.id } }), stored)
    notifySuccess(t('common.saved'))
    await changed()
  }
  const readOnly = !twin.editable
  return (
    <Stack gap="md">
      <FormLayout form={form} onSave={save}>
        <Section title={t('twins.sections.general')}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label={t('twins.title')}
              required
              disabled={readOnly}
              {...form.getInputProps('title')}
            />
            <SimpleGrid cols={2}>
              <Select
                label={t('twins.type')}
                data={twinTypeNames.map((type) => ({ value: type, label: t(`twins.types.${type}`) }))}
                leftSection={<Icon of={typeIcons[form.values.type]} />}
                allowDeselect={false}
                disabled={readOnly}
                {...form.getInputProps('type')}
              />
              <IconPicker
                label={t('twins.icon')}
                value={form.values.icon}
                onChange={(icon) => form.setFieldValue('icon', icon)}
                placeholder={t('twins.iconOfType')}
                disabled={readOnly}
              />
            </SimpleGrid>
            <EntityPicker
              label={t('twins.parent')}
              description={t('twins.parentHint')}
              placeholder={t('twins.noParent')}
              value={form.values.parentId}
              onChange={(parentId) => form.setFieldValue('parentId', parentId)}
              load={async (search) =>
                (await findTwins(search)).filter((found) => found.value !== String(twin.id))
              }
              labelOf={nameTwin}
              disabled={readOnly}
            />
            <Textarea
              label={t('twins.description')}
              autosize
              minRows={2}
              maxRows={8}
              disabled={readOnly}
              {...form.getInputProps('description')}
            />
            <TagInput
              label={t('twins.tags')}
              value={form.values.tags}
              onChange={(tags) => form.setFieldValue('tags', tags)}
              suggestions={used.data?.tags ?? []}
              error={form.errors.tags}
              disabled={readOnly}
            />
            <TagInput
              label={t('twins.zones')}
              value={form.values.zones}
              onChange={(zones) => form.setFieldValue('zones', zones)}
              suggestions={used.data?.zones ?? []}
              error={form.errors.zones}
              disabled={readOnly}
            />
          </SimpleGrid>
        </Section>
        <Section title={t('twins.sections.place')} description={t('twins.sections.placeHint')}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput label={t('twins.address')} disabled={readOnly} {...form.getInputProps('address')} />
            <SimpleGrid cols={{ base: 1, xs: 3 }}>
              <Coordinate
                name="latitude"
                limit={90}
                value={form.values.latitude}
                onChange={(value) => form.setFieldValue('latitude', value)}
                error={form.errors.latitude}
                readOnly={readOnly}
              />
              <Coordinate
                name="longitude"
                limit={180}
                value={form.values.longitude}
                onChange={(value) => form.setFieldValue('longitude', value)}
                error={form.errors.longitude}
                readOnly={readOnly}
              />
              <NumberInput
                label={t('twins.floorNumber')}
                min={-100}
                max={300}
                allowDecimal={false}
                disabled={readOnly}
                value={form.values.floorNumber ?? ''}
                onChange={(value) => form.setFieldValue('floorNumber', value === '' ? null : Number(value))}
                error={form.errors.floorNumber}
              />
            </SimpleGrid>
            <TextInput
              label={t('twins.floorName')}
              placeholder={t('devices.form.floorNameExample')}
              disabled={readOnly}
              {...form.getInputProps('floorName')}
            />
          </SimpleGrid>
        </Section>
        <Section title={t('twins.sections.routing')} description={t('twins.sections.routingHint')}>
          <ReferenceIds
            value={form.values.referenceIds}
            onChange={(referenceIds) => form.setFieldValue('referenceIds', referenceIds)}
            readOnly={readOnly}
          />
        </Section>
        <Section title={t('twins.sections.own')} description={t('twins.sections.ownHint')}>
          <KeyValueEditor
            label={t('twins.keyValues')}
            value={form.values.keyValues}
            onChange={(keyValues) => form.setFieldValue('keyValues', keyValues)}
            readOnly={readOnly}
          />
        </Section>
      </FormLayout>
      <ResponsibleSection objectId={twin.id} editable={twin.editable} />
      <SlotParts slot={twinSections} props={{ twin }} />
    </Stack>
  )
}

function Coordinate(props: {
  name: 'latitude' | 'longitude'
  limit: number
  value: number | null
  onChange: (value: number | null) => void
  error: ReactNode
  readOnly: boolean
}) {
  const { name, limit, readOnly } = props
  const { t } = useTranslation()
  return (
    <NumberInput
      label={t(`twins.${name}`)}
      min={-limit}
      max={limit}
      decimalScale={7}
      decimalSeparator={t('common.decimal')}
      allowedDecimalSeparators={[',', '.']}
      hideControls
      disabled={readOnly}
      value={props.value ?? ''}
      onChange={(value) => props.onChange(value === '' ? null : Number(value))}
      error={props.error}
    />
  )
}
