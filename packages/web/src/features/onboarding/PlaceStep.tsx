import { Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { TagInput } from '../../ui/forms/TagInput.tsx'
import type { DeviceValues } from '../devices/index.ts'
import { PlaceFields } from '../twins/index.ts'

/** Assignment and position of the device; all of it can be added later. */
export function PlaceStep({ form }: { form: UseFormReturnType<DeviceValues> }) {
  const { t } = useTranslation()
  const marks = useQuery(api.virtualdevice.tagsZones.queryOptions({ staleTime: 60_000 }))
  return (
    <Stack gap="md">
      <TagInput
        label={t('devices.field.tags')}
        value={form.getValues().tags}
        onChange={(tags) => form.setFieldValue('tags', tags)}
        suggestions={marks.data?.tags ?? []}
        error={form.errors.tags}
      />
      <PlaceFields form={form} kind="device" />
    </Stack>
  )
}
