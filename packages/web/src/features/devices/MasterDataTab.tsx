import type { UseFormReturnType } from '@mantine/form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { changedPosition } from '../../ui/forms/changedPosition.ts'
import { TagInput } from '../../ui/forms/TagInput.tsx'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { useSyncedForm } from '../../ui/forms/useSyncedForm.ts'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { useFirstUse } from '../drivers/index.ts'
import { MasterDataForm } from '../twins/index.ts'
import { IdentityFields } from './fields/IdentityFields.tsx'
import { type Device, invalidateDevices } from './queries.ts'
import { deviceSections } from './slots.ts'
import { TemplateSection } from './template/TemplateSection.tsx'
import { useDriverQuestion } from './useDriverQuestion.tsx'
import { checkDevice, type DeviceValues, toInput, toValues } from './values.ts'

/** Editable master data of a device. */
export function MasterDataTab({ device }: { device: Device }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const marks = useQuery(api.virtualdevice.tagsZones.queryOptions({ staleTime: 60_000 }))
  const form = useCheckedForm<DeviceValues>({
    initialValues: toValues(device),
    validate: checkDevice(
      {
        positionIncomplete: t('masterData.positionIncomplete'),
        euiInvalid: t('errors.DEVICE_EUI_INVALID'),
      },
      { preset: device.preset, kept: device.externalId },
    ),
  })
  const { version, accept } = useSyncedForm(form, device, toValues)
  const driverQuestion = useDriverQuestion(device)
  const firstUse = useFirstUse()
  const isUnlinking = device.templateId !== null && form.getValues().templateId === null
  const save = async (values: DeviceValues) => {
    const input = toInput(values)
    const isNewDriver = input.driverId !== device.driverId
    const accepted = isNewDriver ? await firstUse.ask({ ...input, accountId: device.accountId }) : {}
    if (accepted === null || !(await driverQuestion.ask(input))) return false
    const { latitude, longitude, ...fields } = input
    const saved = await client.virtualdevice.update({
      id: device.id,
      version,
      ...fields,
      ...accepted,
      ...(isUnlinking ? { templateId: null } : {}),
      ...changedPosition({ latitude, longitude }, (field) => form.isDirty(field)),
    })
    accept(saved)
    cache.setQueryData(api.virtualdevice.get.queryKey({ input: { id: device.id } }), saved)
    notifySuccess(t('devices.savedNote'))
    await Promise.all([
      invalidateDevices(cache),
      cache.invalidateQueries({ queryKey: api.digitaltwin.states.key({ input: { id: device.id } }) }),
    ])
    return true
  }
  return (
    <MasterDataForm
      id={device.id}
      kind="device"
      form={form}
      onSave={save}
      editable={device.editable}
      marks={marks.data}
      last={<GroupsInput form={form} />}
      sections={
        <>
          <IdentityFields
            form={form}
            preset={device.preset}
            linked={device.templateId === null || isUnlinking ? null : device.templateTitle}
          />
          <TemplateSection
            device={device}
            isUnlinking={isUnlinking}
            onUnlink={(leave) => form.setFieldValue('templateId', leave ? null : String(device.templateId))}
            unsaved={form.isDirty()}
          />
        </>
      }
    >
      {firstUse.dialog}
      {driverQuestion.dialog}
      <SlotParts slot={deviceSections} props={{ device }} />
    </MasterDataForm>
  )
}

function GroupsInput({ form }: { form: UseFormReturnType<DeviceValues> }) {
  const { t } = useTranslation()
  const groups = useQuery(api.virtualdevice.groups.queryOptions({ input: {}, staleTime: 60_000 }))
  return (
    <TagInput
      label={t('devices.field.groups')}
      description={t('devices.form.groupsHint')}
      value={form.getValues().groups}
      onChange={(names) => form.setFieldValue('groups', names)}
      suggestions={[...new Set((groups.data?.items ?? []).map(({ name }) => name))]}
      error={form.errors.groups}
    />
  )
}
