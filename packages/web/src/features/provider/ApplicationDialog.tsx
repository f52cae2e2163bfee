import type { Application, ApplicationScope } from '@leitstand/contract'
import { applicationScopes, identityScopes } from '@leitstand/contract/applications'
import { Checkbox, Input, Modal, Radio, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { IconPicker } from '../../ui/forms/IconPicker.tsx'
import classes from './oauth.module.css'
import { Addresses, type Shown } from './SecretDialog.tsx'
import { type ApplicationValues, faultsOf, inputOf, valuesOf } from './values.ts'

interface ApplicationDialogProps {
  accountId: number
  /** the application to be changed; null creates one */
  editing: Application | null
  onClose: () => void
  /** A new application with its secret, which is only shown now. */
  onCreated: (made: Shown) => void
}

/** Adds or changes an application. */
export function ApplicationDialog({ accountId, editing, onClose, onCreated }: ApplicationDialogProps) {
  const { t } = useTranslation()
  const { values, set, faultAt, form, close } = useDialogForm({
    initial: () => valuesOf(editing),
    faultsOf,
    save: async (entered) => {
      const input = inputOf(entered)
      if (!editing) return client.application.create({ ...input, accountId, kind: entered.kind })
      await client.application.update({ ...input, id: editing.id, version: editing.version })
      return null
    },
    onMade: onCreated,
    onClose,
  })
  return (
    <Modal
      opened
      onClose={close}
      title={t(editing ? 'applications.edit' : 'applications.create')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      size="lg"
      centered
    >
      <DialogForm form={form} saveLabel={t(editing ? 'common.save' : 'applications.create')}>
        {editing ? <Addresses clientId={editing.clientId} /> : null}
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={t('applications.field.title')}
            maxLength={200}
            required
            data-autofocus
            value={values.title}
            onChange={(event) => set({ title: event.currentTarget.value })}
            error={faultAt('title')}
          />
          <IconPicker
            label={t('applications.field.icon')}
            value={values.icon}
            onChange={(icon) => set({ icon })}
          />
        </SimpleGrid>
        <Textarea
          label={t('applications.field.description')}
          description={t('applications.descriptionHint')}
          maxLength={4000}
          autosize
          minRows={2}
          maxRows={6}
          value={values.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
        {editing ? null : <KindChoice value={values.kind} onChange={(kind) => set({ kind })} />}
        <Textarea
          label={t('applications.field.redirectUris')}
          description={t('applications.redirectUrisHint')}
          required
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          autoCapitalize="none"
          value={values.redirectUris}
          onChange={(event) => set({ redirectUris: event.currentTarget.value })}
          error={faultAt('redirectUris')}
        />
        <TextInput
          label={t('applications.field.homepage')}
          type="url"
          maxLength={500}
          value={values.homepage}
          onChange={(event) => set({ homepage: event.currentTarget.value })}
          error={faultAt('homepage')}
        />
        <ScopeChoice value={values.scopes} onChange={(scopes) => set({ scopes })} error={faultAt('scopes')} />
      </DialogForm>
    </Modal>
  )
}

function KindChoice({
  value,
  onChange,
}: {
  value: ApplicationValues['kind']
  onChange: (kind: ApplicationValues['kind']) => void
}) {
  const { t } = useTranslation()
  return (
    <Radio.Group
      label={t('applications.field.kind')}
      value={value}
      onChange={(kind) => onChange(kind === 'public' ? 'public' : 'confidential')}
    >
      <Stack gap={8} mt={6}>
        {(['confidential', 'public'] as const).map((kind) => (
          <Radio
            key={kind}
            value={kind}
            label={t(`applications.kinds.${kind}`)}
            description={t(`applications.kindHints.${kind}`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}

/** Identity, permissions, and everything. */
const groups: readonly (readonly ApplicationScope[])[] = [
  identityScopes,
  applicationScopes.slice(identityScopes.length, -1),
  ['all'],
]

interface ScopeChoiceProps {
  value: readonly ApplicationScope[]
  onChange: (scopes: ApplicationScope[]) => void
  error: string | null
}

/** The scopes an application may request at most. */
function ScopeChoice({ value, onChange, error }: ScopeChoiceProps) {
  const { t } = useTranslation()
  const isScope = (text: string): text is ApplicationScope =>
    applicationScopes.some((scope) => scope === text)
  return (
    <Checkbox.Group
      label={t('applications.field.scopes')}
      description={t('applications.scopesHint')}
      value={[...value]}
      onChange={(chosen) => onChange(chosen.filter(isScope))}
    >
      {groups.map((group) => (
        <div key={group[0]} className={classes.choices}>
          {group.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={t(`oauth.scopes.${scope.replace('.', '_')}`)}
              description={scope}
            />
          ))}
        </div>
      ))}
      {error ? <Input.Error mt={6}>{error}</Input.Error> : null}
    </Checkbox.Group>
  )
}
