import { Stack, Switch, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconUser } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { useUser } from '../../lib/session.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { isMissing, NotFound } from '../../ui/feedback/NotFound.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { FormLayout } from '../../ui/forms/FormLayout.tsx'
import fields from '../../ui/forms/fields.module.css'
import { KeyValueEditor } from '../../ui/forms/KeyValueEditor.tsx'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { useSyncedForm } from '../../ui/forms/useSyncedForm.ts'
import { DetailPage } from '../../ui/page/DetailPage.tsx'
import { HistoryButton } from '../../ui/page/HistoryButton.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { type Account, accountPath, idOf } from '../accounts/index.ts'
import { AccessEditor, type AccessLine, InsightPanel } from '../rights/index.ts'
import { ActAsButton } from './ActAsButton.tsx'
import { DefaultsFields } from './DefaultsFields.tsx'
import { invalidateUsers, type User, userName, userPath } from './queries.ts'
import { ResetFactorButton } from './ResetFactorButton.tsx'
import { UserActions } from './UserActions.tsx'
import { UserSessions } from './UserSessions.tsx'
import { stateOf } from './userList.ts'
import {
  checkUser,
  defaultLines,
  readTexts,
  toUserInput,
  toUserValues,
  type UserValues,
  writeTexts,
} from './userValues.ts'

type Form = UseFormReturnType<UserValues>

/** Creates or shows a user of an account. */
export default function UserPage() {
  const { tenantId, id } = useParams({ strict: false }) as { tenantId?: string; id?: string }
  return id === undefined ? <NewUser accountId={idOf(tenantId)} /> : <ExistingUser id={idOf(id)} />
}

function NewUser({ accountId }: { accountId: number }) {
  const account = useQuery(api.tenant.get.queryOptions({ input: { id: accountId } }))
  const scopeId = account.data?.scopeId ?? 0
  const defaults = useQuery(
    api.scope.listDefaultRoles.queryOptions({ input: { scopeId }, enabled: account.data !== undefined }),
  )
  const failure = account.error ?? defaults.error
  if (failure && isMissing(failure)) return <NotFound error={failure} listPath="/account-mgmt" />
  if (failure) return <ErrorState order={1} error={failure} />
  if (!account.data || !defaults.data) return <DetailPage icon={IconUser} title={undefined} />
  const access = defaultLines(scopeId, defaults.data)
  return <CreateForm account={account.data} access={access} />
}

function CreateForm({ account, access }: { account: Account; access: AccessLine[] }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [created, setCreated] = useState(false)
  const form = useCheckedForm<UserValues>({
    initialValues: toUserValues(undefined, access),
    validate: checkUser,
  })
  const save = async (values: UserValues) => {
    const user = await client.user.create({ ...toUserInput(values), accountId: account.id })
    setCreated(true)
    form.resetDirty()
    notifySuccess(t('users.createdNote', { email: user.email }))
    await invalidateUsers(cache)
    await navigate({ to: userPath(user) })
  }
  return (
    <DetailPage
      icon={IconUser}
      title={t('screens.userCreate.title')}
      overline={<RouterLink to={accountPath(account.id, 'users')}>{account.name}</RouterLink>}
    >
      <FormLayout
        form={form}
        onSave={save}
        mode="always"
        saveLabel={t('users.createAndInvite')}
        onCancel={() => void navigate({ to: accountPath(account.id), search: { tab: 'users' } })}
      >
        <Person form={form} fixed={created} isNew />
      </FormLayout>
    </DetailPage>
  )
}

function ExistingUser({ id }: { id: number }) {
  const { t } = useTranslation()
  const user = useQuery(api.user.get.queryOptions({ input: { id } }))
  const data = user.data
  return (
    <DetailPage
      icon={IconUser}
      title={data ? userName(data) : undefined}
      error={user.error}
      listPath="/account-mgmt"
      onRetry={() => void user.refetch()}
      overline={
        data ? (
          <RouterLink to={accountPath(data.accountId, 'users')}>{t('users.backToAccount')}</RouterLink>
        ) : undefined
      }
      badges={data ? <StateBadge user={data} /> : undefined}
      actions={
        data ? (
          <>
            <HistoryButton subject="User" id={data.id} />
            <ResetFactorButton user={data} />
            <ActAsButton user={data} />
            <UserActions user={data} />
          </>
        ) : undefined
      }
      facts={
        data
          ? [
              { label: t('users.field.username'), value: data.username },
              { label: t('users.field.lastLogin'), value: <RelativeTime time={data.lastLoginAt} /> },
              { label: t('users.field.createdAt'), value: <RelativeTime time={data.createdAt} /> },
            ]
          : []
      }
      tabs={
        data
          ? [
              { key: 'data', label: t('users.tab.data'), content: <EditForm user={data} /> },
              {
                key: 'sessions',
                label: t('users.tab.sessions'),
                hidden: !data.editable,
                content: <UserSessions userId={data.id} />,
              },
              {
                key: 'explain',
                label: t('users.tab.explain'),
                content: <InsightPanel of="user" id={data.id} accountId={data.accountId} />,
              },
            ]
          : []
      }
    />
  )
}

function StateBadge({ user }: { user: User }) {
  const { t } = useTranslation()
  if (!user.active) return <StatusBadge tone="unknown" label={t('users.state.inactive')} />
  if (stateOf(user, Date.now()) === 'locked')
    return <StatusBadge tone="warning" label={t('users.state.locked')} />
  if (user.invited) return <StatusBadge tone="accent" label={t('users.state.invited')} />
  return <StatusBadge tone="ok" label={t('users.state.active')} />
}

function EditForm({ user }: { user: User }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const form = useCheckedForm<UserValues>({
    initialValues: toUserValues(user),
    validate: checkUser,
  })
  const { version, accept } = useSyncedForm(form, user, toUserValues)
  const save = async (values: UserValues) => {
    const saved = await client.user.update({ ...toUserInput(values, user.properties), id: user.id, version })
    accept(saved)
    cache.setQueryData(api.user.get.queryKey({ input: { id: user.id } }), saved)
    notifySuccess(t('users.savedNote'))
    await invalidateUsers(cache)
    await cache.invalidateQueries({ queryKey: api.user.explainAccess.key() })
  }
  return (
    <FormLayout form={form} onSave={save}>
      <Person form={form} fixed={!user.editable} elsewhere={user.accessElsewhere} userId={user.id} />
    </FormLayout>
  )
}

/** Additional properties of a user: key-value rows, or JSON if any value is not a string. */
function Properties({ form, fixed }: { form: Form; fixed: boolean }) {
  const { t } = useTranslation()
  const [areTexts] = useState(() => readTexts(form.values.properties) !== null)
  const texts = useMemo(() => readTexts(form.values.properties), [form.values.properties])
  return areTexts && texts ? (
    <KeyValueEditor
      label={t('users.field.properties')}
      value={texts}
      onChange={(changed) => form.setFieldValue('properties', writeTexts(changed))}
      readOnly={fixed}
    />
  ) : (
    <Textarea
      label={t('users.field.properties')}
      description={t('users.propertiesHint')}
      autosize
      minRows={2}
      disabled={fixed}
      {...form.getInputProps('properties')}
    />
  )
}

interface PersonProps {
  form: Form
  fixed: boolean
  isNew?: boolean
  elsewhere?: number
  userId?: number
}

/** Master data and access, for creating and editing. */
function Person({ form, fixed, isNew = false, elsewhere = 0, userId }: PersonProps) {
  const { t } = useTranslation()
  const me = useUser()
  return (
    <Stack gap="md">
      <Section title={t('users.section.person')} description={fixed ? t('users.fixed') : undefined}>
        <div className={fields.fitted}>
          {(['firstName', 'lastName', 'email', 'username', 'phone', 'mobile'] as const).map((name) => (
            <TextInput
              key={name}
              label={t(`users.field.${name}`)}
              description={name === 'username' && isNew ? t('users.usernameHint') : undefined}
              required={name === 'email' || (name === 'username' && !isNew)}
              disabled={fixed}
              autoComplete="off"
              {...form.getInputProps(name)}
            />
          ))}
          {isNew || userId === me.id ? null : (
            <Switch
              label={t('users.activeLabel')}
              description={t('users.activeHint')}
              disabled={fixed}
              {...form.getInputProps('active', { type: 'checkbox' })}
            />
          )}
          <div className={fields.wide}>
            <Properties form={form} fixed={fixed} />
          </div>
        </div>
      </Section>
      <Section title={t('users.section.defaults')} description={t('users.defaultsHint')}>
        <DefaultsFields
          value={form.values.defaults}
          onChange={(change) => form.setFieldValue('defaults', { ...form.values.defaults, ...change })}
          disabled={fixed}
        />
      </Section>
      <Section
        title={t('users.section.access')}
        description={
          elsewhere > 0 ? t('users.access.elsewhere', { count: elsewhere }) : t('users.access.hint')
        }
      >
        <AccessEditor
          value={form.values.access}
          onChange={(access) => form.setFieldValue('access', access)}
          error={typeof form.errors.access === 'string' ? form.errors.access : undefined}
          disabled={fixed}
        />
      </Section>
    </Stack>
  )
}
