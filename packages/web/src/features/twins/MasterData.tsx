import { Contact, contactsMax, ObjectFields, type Twin, TwinType } from '@leitstand/contract/twins'
import { Select } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { api, client } from '../../lib/api.ts'
import { check } from '../../lib/validation.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { changedPosition } from '../../ui/forms/changedPosition.ts'
import {
  type MasterValues,
  masterFaults,
  numberOf,
  toMasterInput,
  toMasterValues,
} from '../../ui/forms/masterValues.ts'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { useSyncedForm } from '../../ui/forms/useSyncedForm.ts'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import AreaFields from './area/AreaFields.tsx'
import { type AreaValues, areaError, areaFaults } from './area/areaValues.ts'
import { OnFloor } from './area/OnFloor.tsx'
import { floorTypes, twinTypeNames, typeIcons } from './kinds.ts'
import { ContactFields } from './masterData/ContactFields.tsx'
import { MasterDataForm } from './masterData/MasterDataForm.tsx'
import { isPlace, setPosition } from './masterData/PlaceFields.tsx'
import { useTwinsChanged } from './queries.ts'
import { twinSections } from './slots.ts'
import { useUndoOffer } from './undoChange.ts'

interface Values extends MasterValues, AreaValues, Record<string, unknown> {
  type: Twin['type']
  contacts: Contact[]
}

const toValues = ({ type, contacts, geoPolygon, ...twin }: Twin): Values => ({
  ...toMasterValues(twin),
  type,
  contacts,
  geoPolygon,
  areaText: null,
})
const toInput = ({ type, contacts, geoPolygon, ...values }: Values) => ({
  ...toMasterInput(values),
  type,
  contacts,
  geoPolygon,
})
const faultsOf = check(
  z.object({ ...ObjectFields, type: TwinType, contacts: z.array(Contact).max(contactsMax) }),
)

/** Editable master data of a twin. */
export default function MasterData({ twin }: { twin: Twin }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const changed = useTwinsChanged()
  const offerUndo = useUndoOffer()
  const used = useQuery(api.digitaltwin.tagsZones.queryOptions({ staleTime: 60_000 }))
  const form = useCheckedForm<Values>({
    initialValues: toValues(twin),
    validate: (values) => ({
      ...masterFaults(faultsOf(toInput(values)), values, t('masterData.positionIncomplete')),
      ...areaFaults(values),
    }),
  })
  const { version, accept } = useSyncedForm(form, twin, toValues)
  const save = async (values: Values) => {
    const { latitude, longitude, ...fields } = toInput(values)
    const { undo, ...stored } = await client.digitaltwin.update({
      ...fields,
      ...changedPosition({ latitude, longitude }, (field) => form.isDirty(field)),
      id: twin.id,
      version,
    })
    accept(stored as Twin)
    cache.setQueryData(api.digitaltwin.get.queryKey({ input: { id: twin.id } }), stored)
    // Only the move is undone, not the rest of the form.
    offerUndo(undo ? t('twins.moved', { title: stored.title }) : t('common.saved'), undo)
    await changed()
  }
  const { type, geoPolygon, areaText, floorNumber, floorName, title } = form.values
  const latitude = numberOf(form.values.latitude)
  const longitude = numberOf(form.values.longitude)
  const position = useMemo(
    () => (isPlace(latitude) && isPlace(longitude) ? { latitude, longitude } : null),
    [latitude, longitude],
  )
  return (
    <MasterDataForm
      id={twin.id}
      kind="twin"
      form={form}
      onSave={save}
      editable={twin.editable}
      marks={used.data}
      first={
        <Select
          label={t('twins.type')}
          data={twinTypeNames.map((type) => ({ value: type, label: t(`twins.types.${type}`) }))}
          leftSection={<Icon of={typeIcons[form.values.type]} />}
          allowDeselect={false}
          {...form.getInputProps('type')}
        />
      }
      // Values stay visible if the type changes.
      withFloor={floorTypes.has(type) || numberOf(floorNumber) !== null || floorName !== ''}
      map={
        <OnFloor twin={twin}>
          {(plan) => (
            <AreaFields
              plan={plan}
              value={{ geoPolygon, areaText }}
              onChange={(area) => form.setValues({ ...area })}
              position={position}
              onPosition={(place) => setPosition(form, place)}
              title={title}
              edited={(['latitude', 'longitude', 'geoPolygon'] as const).some((field) => form.isDirty(field))}
              required={type === 'zone'}
              error={areaError(form.errors) as string | undefined}
              readOnly={!twin.editable}
            />
          )}
        </OnFloor>
      }
      sections={
        <ContactFields
          value={form.values.contacts}
          onChange={(contacts) => form.setFieldValue('contacts', contacts)}
          errorAt={(path) => form.errors[`contacts.${path}`]}
          editable={twin.editable}
        />
      }
    >
      <SlotParts slot={twinSections} props={{ twin }} />
    </MasterDataForm>
  )
}
