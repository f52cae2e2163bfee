import type { SsoReport } from '@leitstand/contract'
import { Button, Group, Select, Stack, Switch, Text, TextInput, Title } from '@mantine/core'
import { IconArrowLeft, IconStethoscope } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { FormLayout } from '../../ui/forms/FormLayout.tsx'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { Section } from '../../ui/page/Section.tsx'
import { SectionNav } from '../../ui/page/SectionNav.tsx'
import { faultsOf } from './faults.ts'
import { LogoField } from './LogoField.tsx'
import { MappingFields } from './MappingFields.tsx'
import { ClaimFields, ProviderFields } from './ProviderFields.tsx'
import { Report } from './Report.tsx'
import classes from './sso.module.css'
import {
  newKey,
  oauth2InputOf,
  oidcInputOf,
  type SsoClient,
  type SsoKind,
  type SsoValues,
  valuesOf,
} from './values.ts'

/** In the order of the form. */
const sections = ['button', 'addresses', 'provider', 'check', 'people', 'roles', 'claims'] as const

interface SsoFormProps {
  account: { id: number; scopeId: number }
  kind: SsoKind
  /** null: a new one */
  client: SsoClient | null
  onDone: () => void
}

/** A provider: its address and credentials, who may sign in with it, and the roles they get. */
export default function SsoForm({ account, kind, client: editing, onDone }: SsoFormProps) {
  const { t } = useTranslation()
  const [key] = useState(() => editing?.key ?? newKey())
  const [checked, setChecked] = useState<{ report: SsoReport; of: string } | null>(null)
  const [checking, setChecking] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const hasSecret = editing?.hasSecret ?? false
  const form = useCheckedForm<SsoValues>({
    initialValues: valuesOf(editing, kind, account.scopeId),
    validate: (values) => faultsOf(kind, values, account.id, hasSecret),
  })
  const run = async (values: SsoValues): Promise<SsoReport> => {
    setFailure(undefined)
    setChecking(true)
    try {
      const report = await ask(kind, values, account.id, hasSecret, editing?.id, key)
      setChecked({ report, of: JSON.stringify(values) })
      return report
    } finally {
      setChecking(false)
    }
  }
  // The user has seen the problems of exactly these values; saving again confirms them.
  const isKnown = checked !== null && !checked.report.ok && checked.of === JSON.stringify(form.values)
  const save = async (values: SsoValues) => {
    if (!isKnown && values.active && !(await run(values)).ok) return false
    await store(kind, values, account.id, hasSecret, editing, key)
    notifySuccess(t('common.saved'))
    form.resetDirty()
    onDone()
    return true
  }
  const checkNow = () => {
    const faults = form.validate()
    if (!faults.hasErrors) run(form.values).catch(setFailure)
  }
  return (
    <Stack gap="md">
      <Group gap={8}>
        <Button variant="subtle" leftSection={<Icon of={IconArrowLeft} />} onClick={onDone}>
          {t('sso.back')}
        </Button>
        <Title order={2} size="h3">
          {editing ? editing.title : t(`sso.new.${kind}`)}
        </Title>
      </Group>
      <SectionNav
        sections={sections.map((part) => ({ id: `sso-${part}`, label: t(`sso.section.${part}`) }))}
      />
      <FormLayout
        form={form}
        onSave={save}
        mode="always"
        onCancel={onDone}
        saveLabel={t(isKnown ? 'sso.saveAnyway' : editing ? 'common.save' : 'sso.create')}
      >
        <Section id="sso-button" title={t('sso.section.button')}>
          <div className={classes.fields}>
            <TextInput
              label={t('sso.field.title')}
              description={t('sso.titleHint')}
              maxLength={200}
              required
              {...form.getInputProps('title')}
            />
            <LogoField value={form.values.logo} onChange={(logo) => form.setFieldValue('logo', logo)} />
            <Switch
              label={t('sso.field.active')}
              description={t('sso.activeHint')}
              {...form.getInputProps('active', { type: 'checkbox' })}
            />
          </div>
        </Section>
        <Section id="sso-addresses" title={t('sso.section.addresses')} description={t('sso.addressesHint')}>
          <Addresses accountId={account.id} clientKey={key} />
        </Section>
        <ProviderFields form={form} kind={kind} hasSecret={hasSecret} />
        <Section
          id="sso-check"
          title={t('sso.section.check')}
          description={t('sso.checkHint')}
          actions={
            <Button
              variant="default"
              leftSection={<Icon of={IconStethoscope} />}
              loading={checking}
              onClick={checkNow}
            >
              {t('sso.check')}
            </Button>
          }
        >
          {failure === undefined ? null : <ErrorText error={failure} />}
          {checked ? (
            <Report report={checked.report} isOld={checked.of !== JSON.stringify(form.values)} />
          ) : (
            <Text size="sm" c="dimmed">
              {t('sso.notChecked')}
            </Text>
          )}
        </Section>
        <Section id="sso-people" title={t('sso.section.people')} description={t('sso.peopleHint')}>
          <Stack gap="md" align="flex-start">
            {(['createUsers', 'trustEmails', 'linkUsers'] as const).map((name) => (
              <Switch
                key={name}
                label={t(`sso.field.${name}`)}
                description={t(`sso.${name}Hint`)}
                {...form.getInputProps(name, { type: 'checkbox' })}
              />
            ))}
            <Select
              label={t('sso.field.secondFactor')}
              description={t(`sso.secondFactorHint.${form.values.secondFactor}`)}
              data={(kind === 'oidc'
                ? (['own', 'amr', 'provider'] as const)
                : (['own', 'provider'] as const)
              ).map((value) => ({ value, label: t(`sso.secondFactor.${value}`) }))}
              allowDeselect={false}
              w="100%"
              maw={480}
              {...form.getInputProps('secondFactor')}
            />
          </Stack>
        </Section>
        <MappingFields form={form} accountId={account.id} />
        <ClaimFields form={form} kind={kind} />
      </FormLayout>
    </Stack>
  )
}

/** Addresses to enter at the provider. */
function Addresses({ accountId, clientKey }: { accountId: number; clientKey: string }) {
  const { t } = useTranslation()
  const addresses = useQuery(api.sso.addresses.queryOptions({ input: { accountId, key: clientKey } }))
  if (addresses.isLoadingError) return <ErrorText error={addresses.error} />
  if (!addresses.data) return <Loading lines={2} />
  return (
    <Stack gap="sm">
      {addresses.data.redirectUris.map((uri) => (
        <CodeBlock key={uri} code={uri} label={t('sso.redirectUri')} />
      ))}
      <Text size="sm" c="dimmed">
        {t('sso.startHint')}
      </Text>
      <CodeBlock code={addresses.data.startUrl} label={t('sso.startUrl')} />
    </Stack>
  )
}

function ask(
  kind: SsoKind,
  values: SsoValues,
  accountId: number,
  hasSecret: boolean,
  id: number | undefined,
  key: string,
): Promise<SsoReport> {
  const of = id === undefined ? { key } : { id }
  return kind === 'oidc'
    ? client.oidcClient.validate({ ...oidcInputOf(values, accountId, hasSecret), ...of })
    : client.oauth2Client.validate({ ...oauth2InputOf(values, accountId, hasSecret), ...of })
}

function store(
  kind: SsoKind,
  values: SsoValues,
  accountId: number,
  hasSecret: boolean,
  editing: SsoClient | null,
  key: string,
): Promise<unknown> {
  const of = editing && { id: editing.id, version: editing.version }
  if (kind === 'oidc') {
    const input = oidcInputOf(values, accountId, hasSecret)
    return of ? client.oidcClient.update({ ...input, ...of }) : client.oidcClient.create({ ...input, key })
  }
  const input = oauth2InputOf(values, accountId, hasSecret)
  return of ? client.oauth2Client.update({ ...input, ...of }) : client.oauth2Client.create({ ...input, key })
}
