import { Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconCopy, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { useUser } from '../../lib/session.ts'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import type { Role } from '../../ui/accounts/roles.ts'
import { roleDescription, roleText } from '../../ui/accounts/roleText.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { FormLayout } from '../../ui/forms/FormLayout.tsx'
import fields from '../../ui/forms/fields.module.css'
import { IconPicker } from '../../ui/forms/IconPicker.tsx'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { useSyncedForm } from '../../ui/forms/useSyncedForm.ts'
import { HistoryButton } from '../../ui/page/HistoryButton.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { toMatrix } from './matrix.ts'
import { RuleMatrix } from './RuleMatrix.tsx'
import { checkRole, type RoleValues, toInput, toUpdate, toValues } from './roleValues.ts'

type Form = UseFormReturnType<RoleValues>

/** A new role, empty or as a copy of another one. */
export function NewRole({
  from,
  onCreated,
  onCancel,
}: {
  from: Role | undefined
  onCreated: (role: Role) => Promise<void>
  onCancel: () => void
}) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const me = useUser()
  const form = useCheckedForm<RoleValues>({
    initialValues: {
      accountId: String(from?.accountId ?? me.accountId),
      name: from ? t('roles.copyOf', { name: roleText(t, from) }) : '',
      description: from ? roleDescription(t, from) : '',
      icon: from?.icon ?? null,
      matrix: toMatrix(from?.rules ?? []),
    },
    validate: checkRole,
  })
  const save = async (values: RoleValues) => {
    const role = await client.acl.createRole({ ...toInput(values), accountId: Number(values.accountId) })
    form.resetDirty()
    notifySuccess(t('roles.createdNote', { name: role.name }))
    await cache.invalidateQueries({ queryKey: api.acl.listRoles.key() })
    await onCreated(role)
  }
  return (
    <Stack gap="md">
      <Title order={2}>{t('roles.newTitle')}</Title>
      <FormLayout
        form={form}
        onSave={save}
        mode="always"
        saveLabel={t('roles.createConfirm')}
        onCancel={onCancel}
      >
        <Fields form={form} fixed={false} isNew />
      </FormLayout>
    </Stack>
  )
}

/** A role with its rules. */
export function RoleEditor({
  role,
  onDuplicate,
  onDeleted,
}: {
  role: Role
  onDuplicate: () => void
  onDeleted: () => Promise<void>
}) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [deleting, setDeleting] = useState(false)
  const name = roleText(t, role)
  const form = useCheckedForm<RoleValues>({ initialValues: toValues(role), validate: checkRole })
  const { version, accept } = useSyncedForm(form, role, toValues)
  const save = async (values: RoleValues) => {
    accept(await client.acl.updateRole({ ...toUpdate(role, values), version }))
    notifySuccess(t('roles.savedNote'))
    await cache.invalidateQueries({ queryKey: api.acl.key() })
    await cache.invalidateQueries({ queryKey: api.user.explainAccess.key() })
  }
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <div>
          <Title order={2}>{name}</Title>
          <Text size="sm" c="dimmed">
            {t('roles.users', { count: role.users })}
          </Text>
        </div>
        <Group gap={8}>
          <HistoryButton subject="Role" id={role.id} />
          <Button variant="default" leftSection={<Icon of={IconCopy} />} onClick={onDuplicate}>
            {t('roles.duplicate')}
          </Button>
          {role.editable ? (
            <Button
              variant="light"
              color="red"
              leftSection={<Icon of={IconTrash} />}
              onClick={() => setDeleting(true)}
            >
              {t('roles.delete')}
            </Button>
          ) : null}
        </Group>
      </Group>
      <FormLayout form={form} onSave={save}>
        <Fields form={form} fixed={!role.editable} isSuper={role.isSuper} />
      </FormLayout>
      <ConfirmDanger
        opened={deleting}
        onClose={() => setDeleting(false)}
        title={t('roles.deleteTitle', { name })}
        text={t('roles.deleteText')}
        confirmLabel={t('roles.delete')}
        onConfirm={async () => {
          await client.acl.deleteRole({ id: role.id })
          notifySuccess(t('roles.deletedNote', { name }))
          await onDeleted()
          await cache.invalidateQueries({ queryKey: api.acl.listRoles.key() })
        }}
      />
    </Stack>
  )
}

interface FieldsProps {
  form: Form
  fixed: boolean
  isNew?: boolean
  isSuper?: boolean
}

function Fields({ form, fixed, isNew = false, isSuper = false }: FieldsProps) {
  const { t } = useTranslation()
  const note = isSuper ? t('roles.superFixed') : t('roles.fixed')
  return (
    <>
      <Section title={t('roles.section.general')} description={fixed ? note : undefined}>
        <div className={fields.fitted}>
          <TextInput
            label={t('roles.field.name')}
            required
            disabled={fixed}
            {...form.getInputProps('name')}
          />
          <IconPicker
            label={t('roles.field.icon')}
            value={form.values.icon}
            onChange={(icon) => form.setFieldValue('icon', icon)}
            disabled={fixed}
          />
          {isNew ? (
            <AccountSelect
              label={t('roles.field.account')}
              description={t('roles.accountHint')}
              required
              value={form.values.accountId}
              onChange={(accountId) => form.setFieldValue('accountId', accountId)}
            />
          ) : null}
          <Textarea
            label={t('roles.field.description')}
            autosize
            minRows={2}
            className={fields.wide ?? ''}
            disabled={fixed}
            {...form.getInputProps('description')}
          />
        </div>
      </Section>
      <Section title={t('roles.section.rules')} description={t('roles.rulesHint')}>
        <RuleMatrix
          value={form.values.matrix}
          onChange={(matrix) => form.setFieldValue('matrix', matrix)}
          disabled={fixed}
        />
      </Section>
    </>
  )
}
