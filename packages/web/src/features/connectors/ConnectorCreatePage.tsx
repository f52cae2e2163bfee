import { Button, Switch, Text, Textarea, TextInput, Title, UnstyledButton } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { keepFreshKey } from '../../lib/freshKeys.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { useAccounts } from '../../ui/accounts/AccountFilter.tsx'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { FormLayout } from '../../ui/forms/FormLayout.tsx'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { Section } from '../../ui/page/Section.tsx'
import { useRefusal } from './CheckList.tsx'
import { KindLabel } from './ConnectorBadges.tsx'
import { connectorPath } from './connectorPath.ts'
import classes from './connectors.module.css'
import { kindNames, kinds } from './kinds/index.ts'
import type { ConnectorValues } from './kinds/types.ts'
import { type ConnectorKind, invalidateConnectors, useConnectorTypes } from './queries.ts'
import { SampleTester } from './SampleTester.tsx'
import { settingsFor } from './settings.ts'
import { checkConnector, emptySettings } from './values.ts'

/**
 * Creates a connector: first the kind, then its settings;
 * `?next=device` and `?next=import` continue with the wizard that led here, `?next=setup` with the guide.
 */
export default function ConnectorCreatePage() {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const kind = kindNames.find((each) => each === one(search, 'kind'))
  const accounts = useAccounts()
  return (
    <>
      <Title order={1} mb={4}>
        {kind ? t(`connectors.kind.${kind}.create`) : t('connectors.create')}
      </Title>
      {kind ? (
        <>
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            mb="md"
            ml={-8}
            leftSection={<Icon of={IconArrowLeft} size={14} />}
            onClick={() => update({ kind: undefined }, { push: true })}
          >
            {t('connectors.otherKind')}
          </Button>
          {/* The form begins with the only account of a user. */}
          {accounts.isPending ? (
            <Loading />
          ) : (
            <CreateForm key={kind} kind={kind} next={one(search, 'next')} account={one(search, 'account')} />
          )}
        </>
      ) : (
        <KindChoice onChoose={(chosen) => update({ kind: chosen }, { push: true })} />
      )}
    </>
  )
}

/** Parameters of the wizards that this page returns to. */
const wizards: Partial<Record<string, 'create' | 'import'>> = { device: 'create', import: 'import' }

function KindChoice({ onChoose }: { onChoose: (kind: ConnectorKind) => void }) {
  const { t } = useTranslation()
  const types = useConnectorTypes()
  if (types.isLoadingError) return <ErrorState error={types.error} onRetry={() => void types.refetch()} />
  if (!types.data) return <Loading />
  return (
    <>
      <Text c="dimmed" mb="md">
        {t('connectors.chooseKind')}
      </Text>
      <div className={classes.cards}>
        {types.data.items.map(({ kind, direction, capabilities }) => (
          <UnstyledButton key={kind} className={classes.card ?? ''} onClick={() => onChoose(kind)}>
            <span className={classes.cardTitle}>
              <Icon of={kinds[kind].icon} size={22} />
              {t(`connectors.kind.${kind}.name`)}
            </span>
            <span className={classes.cardText}>{t(`connectors.kind.${kind}.text`)}</span>
            <span className={classes.sub}>
              {[
                t(`connectors.direction.${direction}`),
                ...capabilities.map((each) => t(`connectors.capability.${each}`)),
              ].join(' · ')}
            </span>
          </UnstyledButton>
        ))}
      </div>
    </>
  )
}

interface CreateProps {
  kind: ConnectorKind
  /** the wizard that continues with the connector */
  next: string | undefined
  account: string | undefined
}

function CreateForm({ kind, next, account }: CreateProps) {
  const { t } = useTranslation()
  const wizard = next === undefined ? undefined : wizards[next]
  const navigate = useNavigate()
  const cache = useQueryClient()
  const items = useAccounts().data?.items ?? []
  const only = items.length === 1 ? items[0] : undefined
  const form = useCheckedForm<ConnectorValues>({
    initialValues: {
      accountId: account ?? (only ? String(only.id) : null),
      name: '',
      description: '',
      enabled: true,
      settings: emptySettings(kind),
    },
    validate: checkConnector(kind, true),
  })
  const { accountId, settings } = form.getValues()
  const refusal = useRefusal()
  const { Form } = kinds[kind]
  const tester = (
    <SampleTester
      key={settings.preset}
      kind={kind}
      accountId={accountId === null ? null : Number(accountId)}
      settings={settings}
    />
  )
  const save = async (values: ConnectorValues) => {
    const created = await refusal.run(() =>
      client.bridge.create({
        accountId: Number(values.accountId),
        kind,
        name: values.name,
        description: values.description,
        enabled: values.enabled,
        settings: settingsFor(values.settings),
      }),
    )
    form.resetDirty()
    keepFreshKey(cache, created.id, created.key)
    notifySuccess(t('connectors.createdNote', { name: created.name }))
    await invalidateConnectors(cache)
    if (wizard) {
      const search = { [wizard]: '1', draft: '1', connector: String(created.id) }
      void navigate({ to: '/virtual-devices', search, replace: true })
    } else if (next === 'setup')
      void navigate({
        to: '/setup',
        search: { step: 'connector', made: connectorPath(created) },
        replace: true,
      })
    else void navigate({ to: connectorPath(created), search: { tab: 'connection' } })
  }
  return (
    <FormLayout
      form={form}
      onSave={save}
      mode="always"
      saveLabel={t('connectors.validateAndSave')}
      onCancel={() =>
        void (wizard
          ? navigate({ to: '/virtual-devices', search: { [wizard]: '1', draft: '1' }, replace: true })
          : next === 'setup'
            ? navigate({ to: '/setup', search: { step: 'connector' }, replace: true })
            : navigate({ to: '/connectors/list' }))
      }
    >
      <Section title={t('connectors.section.general')} actions={<KindLabel kind={kind} />}>
        <div className={classes.fields}>
          <TextInput
            label={t('connectors.field.name')}
            required
            data-autofocus
            {...form.getInputProps('name')}
          />
          <AccountSelect
            label={t('connectors.field.account')}
            required
            value={accountId}
            onChange={(id) => form.setFieldValue('accountId', id)}
            error={form.errors.accountId}
          />
          <Textarea
            label={t('connectors.field.description')}
            autosize
            minRows={2}
            className={classes.wide ?? ''}
            {...form.getInputProps('description')}
          />
          <Switch
            label={t('connectors.enabledLabel')}
            {...form.getInputProps('enabled', { type: 'checkbox' })}
          />
        </div>
      </Section>
      <Form form={form} isNew tester={tester} />
      {refusal.note}
    </FormLayout>
  )
}
