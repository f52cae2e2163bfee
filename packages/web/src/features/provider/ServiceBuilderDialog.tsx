import type { ServiceBuilder } from '@leitstand/contract'
import { ServiceBuilderInput } from '@leitstand/contract/serviceBuilders'
import { Select, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { check } from '../../lib/validation.ts'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'

interface DialogProps {
  accountId: number
  /** null: a new one */
  builder: ServiceBuilder | null
  onClose: () => void
}

const faultsOf = check(ServiceBuilderInput)
const applicationsShown = 200

/** Adds or changes a service builder. */
export function ServiceBuilderDialog({ accountId, builder, onClose }: DialogProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const applications = useQuery(
    api.application.list.queryOptions({ input: { accountIds: [accountId], limit: applicationsShown } }),
  )
  const { values, set, faultAt, form, close } = useDialogForm({
    initial: () => ({
      title: builder?.title ?? '',
      description: builder?.description ?? '',
      url: builder?.url ?? '',
      applicationId: builder?.application?.id ?? null,
    }),
    faultsOf,
    save: async (input) => {
      const sent = { ...input, id: accountId, url: input.url.trim() }
      if (builder)
        await client.serviceBuilder.update({ ...sent, builderId: builder.id, version: builder.version })
      else await client.serviceBuilder.create(sent)
      await cache.invalidateQueries({ queryKey: api.serviceBuilder.key() })
      return null
    },
    onMade: () => undefined,
    onClose,
  })
  // The application may belong to an account above.
  const known = new Map((applications.data?.items ?? []).map(({ id, title }) => [id, title]))
  if (builder?.application) known.set(builder.application.id, builder.application.title)
  return (
    <FormModal
      opened
      onClose={close}
      title={t(builder ? 'serviceBuilders.edit' : 'serviceBuilders.create')}
      centered
    >
      <DialogForm form={form} saveLabel={t('common.save')}>
        <TextInput
          label={t('serviceBuilders.field.title')}
          value={values.title}
          onChange={(event) => set({ title: event.currentTarget.value })}
          error={faultAt('title')}
          data-autofocus
          required
        />
        <TextInput
          label={t('serviceBuilders.field.url')}
          description={t('serviceBuilders.urlHint')}
          value={values.url}
          onChange={(event) => set({ url: event.currentTarget.value })}
          error={faultAt('url')}
          required
        />
        <Select
          label={t('serviceBuilders.field.application')}
          description={t('serviceBuilders.applicationHint')}
          data={[...known].map(([id, title]) => ({ value: String(id), label: title }))}
          value={values.applicationId === null ? null : String(values.applicationId)}
          onChange={(id) => set({ applicationId: id === null ? null : Number(id) })}
          error={faultAt('applicationId')}
          clearable
          searchable
          nothingFoundMessage={t('common.nothingFound')}
        />
        <Textarea
          label={t('serviceBuilders.field.description')}
          value={values.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
          error={faultAt('description')}
          autosize
          minRows={2}
          maxRows={6}
        />
      </DialogForm>
    </FormModal>
  )
}
