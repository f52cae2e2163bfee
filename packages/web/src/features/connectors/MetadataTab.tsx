import { Switch, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { FormLayout } from '../../ui/forms/FormLayout.tsx'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { useSyncedForm } from '../../ui/forms/useSyncedForm.ts'
import { Section } from '../../ui/page/Section.tsx'
import { useRefusal } from './CheckList.tsx'
import classes from './connectors.module.css'
import { kinds } from './kinds/index.ts'
import type { ConnectorValues } from './kinds/types.ts'
import { type Connector, invalidateConnectors } from './queries.ts'
import { SampleTester } from './SampleTester.tsx'
import { settingsFor } from './settings.ts'
import { checkConnector, settingsFrom } from './values.ts'

function toValues(connector: Connector): ConnectorValues {
  return {
    accountId: String(connector.accountId),
    name: connector.name,
    description: connector.description,
    enabled: connector.enabled,
    settings: settingsFrom(connector.kind, connector.settings),
  }
}

/** Name, settings and preset of a connector; saving tests them first and stores them only if they work. */
export function MetadataTab({ connector }: { connector: Connector }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const form = useCheckedForm<ConnectorValues>({
    initialValues: toValues(connector),
    validate: checkConnector(connector.kind, false),
  })
  const { version, accept } = useSyncedForm(form, connector, toValues)
  const refusal = useRefusal()
  const { Form } = kinds[connector.kind]
  const { settings } = form.getValues()
  const tester = (
    <SampleTester
      key={settings.preset}
      kind={connector.kind}
      id={connector.id}
      accountId={connector.accountId}
      settings={settings}
    />
  )
  const save = async (values: ConnectorValues) => {
    const saved = await refusal.run(() =>
      client.bridge.update({
        id: connector.id,
        version,
        name: values.name,
        description: values.description,
        enabled: values.enabled,
        settings: settingsFor(values.settings),
      }),
    )
    accept(saved)
    cache.setQueryData(api.bridge.get.queryKey({ input: { id: connector.id } }), saved)
    notifySuccess(t('connectors.savedNote'))
    await invalidateConnectors(cache)
  }
  return (
    <FormLayout form={form} onSave={save} saveLabel={t('connectors.validateAndSave')}>
      <Section title={t('connectors.section.general')}>
        <div className={classes.fields}>
          <TextInput label={t('connectors.field.name')} required {...form.getInputProps('name')} />
          <TextInput label={t('connectors.field.account')} value={connector.accountName} disabled />
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
      <Form form={form} isNew={false} tester={tester} />
      {refusal.note}
    </FormLayout>
  )
}
