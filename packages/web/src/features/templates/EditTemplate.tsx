import { Alert, Button, Menu, SegmentedControl } from '@mantine/core'
import { useForm } from '@mantine/form'
import {
  IconAlertTriangle,
  IconChevronDown,
  IconCpu,
  IconInfoCircle,
  IconTemplate,
  IconTrash,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { describeError } from '../../lib/errors.ts'
import { formatNumber } from '../../lib/format.ts'
import { useCan } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { thingIcon } from '../../ui/display/icons.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { FormLayout } from '../../ui/forms/FormLayout.tsx'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { useSyncedForm } from '../../ui/forms/useSyncedForm.ts'
import { DetailPage, DetailTabs } from '../../ui/page/DetailPage.tsx'
import { HistoryButton } from '../../ui/page/HistoryButton.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { useFirstUse } from '../drivers/index.ts'
import { UsedBy } from '../objects/index.ts'
import { ChangesTab } from './changes/ChangesTab.tsx'
import { PublishButton } from './changes/PublishButton.tsx'
import { DeleteTemplate } from './DeleteTemplate.tsx'
import { DevicesTab } from './DevicesTab.tsx'
import { invalidateTemplates, type Template } from './queries.ts'
import { StageBadge, SyncBadge } from './SyncBadge.tsx'
import { templateTabs } from './templateTabs.tsx'
import {
  checkTemplate,
  faultySection,
  invalidParts,
  type TemplateValues,
  toInput,
  toProductiveValues,
  toValues,
} from './values.ts'

/** Edits a template: one form over several sections; saving changes its draft and no device. */
export function EditTemplate({ template }: { template: Template }) {
  const { t } = useTranslation()
  const can = useCan()
  const cache = useQueryClient()
  const [search, update] = useUrlSearch()
  const form = useCheckedForm<TemplateValues>({
    initialValues: toValues(template),
    validate: checkTemplate,
  })
  const { version, accept } = useSyncedForm(form, template, toValues)
  const showSection = (faults: Readonly<Record<string, unknown>>) => {
    const section = faultySection(faults)
    update({ tab: section === 'meta' ? undefined : section, stage: undefined })
  }
  const firstUse = useFirstUse()
  const save = async (values: TemplateValues) => {
    const input = toInput(values)
    const accepted = await firstUse.ask({ ...input.content, accountId: template.accountId })
    if (accepted === null) return false
    const saved = await client.deviceTemplate
      .update({ id: template.id, version, ...input, ...accepted })
      .catch((error: unknown) => {
        const { code } = describeError(error)
        const faults = code === 'DEVICE_TEMPLATE_INVALID' ? invalidParts(error) : {}
        if (Object.keys(faults).length === 0) throw error
        form.setErrors(faults)
        showSection(faults)
        return null
      })
    if (saved === null) return false
    accept(saved)
    cache.setQueryData(api.deviceTemplate.get.queryKey({ input: { id: template.id } }), saved)
    notifySuccess(
      t(saved.deviceCount > 0 && saved.changeCount > 0 ? 'templates.savedDraft' : 'templates.saved'),
    )
    await invalidateTemplates(cache)
    return true
  }
  const published = useForm<TemplateValues>({ initialValues: toProductiveValues(template) })
  useSyncedForm(published, template, toProductiveValues)
  const hasProductive = template.productive !== null
  const isProductive = hasProductive && one(search, 'stage') === 'productive'
  return (
    <FormLayout form={form} onSave={save} acrossTabs onFaults={showSection}>
      <DetailPage
        icon={thingIcon(template.icon, IconTemplate)}
        title={template.title}
        overline={template.accountName}
        badges={
          <>
            <StageBadge stage={template.stage} />
            <SyncBadge state={template.syncState} />
          </>
        }
        actions={<Actions template={template} unsaved={form.isDirty()} />}
        facts={factsOf(template, t)}
      >
        {template.connectorId === null ? <ConnectorDeleted /> : null}
        {hasProductive ? (
          <SegmentedControl
            mb="md"
            aria-label={t('templates.field.stage')}
            data={(['draft', 'productive'] as const).map((stage) => ({
              value: stage,
              label: t(`templates.stage.${stage}`),
            }))}
            value={isProductive ? 'productive' : 'draft'}
            onChange={(stage) => update({ stage: stage === 'productive' ? stage : undefined })}
          />
        ) : null}
        {isProductive ? (
          <Alert variant="light" color="gray" mb="md" icon={<Icon of={IconInfoCircle} />}>
            {t('templates.productiveNote')}
          </Alert>
        ) : null}
        <DetailTabs
          tabs={[
            ...templateTabs({
              t,
              template,
              form: isProductive ? published : form,
              readOnly: isProductive || !template.editable,
            }),
            {
              key: 'devices',
              label: t('templates.tab.devices'),
              count: template.deviceCount,
              hidden: !(can('VirtualDevice', 'read') || can('VirtualDevice', 'manage')),
              content: <DevicesTab template={template} />,
            },
            {
              key: 'uses',
              label: t('uses.title'),
              content: (
                <UsedBy
                  of="template"
                  id={template.id}
                  lists={{ virtualDevice: `/device-templates/${template.id}?tab=devices` }}
                />
              ),
            },
            {
              key: 'changes',
              label: t('templates.tab.changes'),
              count: template.changeCount,
              content: <ChangesTab template={template} unsaved={form.isDirty()} />,
            },
          ]}
        />
      </DetailPage>
      {firstUse.dialog}
    </FormLayout>
  )
}

function ConnectorDeleted() {
  const { t } = useTranslation()
  return (
    <Alert color="red" variant="light" mb="md" icon={<Icon of={IconAlertTriangle} />}>
      {t('errors.DEVICE_TEMPLATE_CONNECTOR_DELETED')}
    </Alert>
  )
}

function factsOf(template: Template, t: TFunction) {
  return [
    {
      label: t('devices.field.driver'),
      value: (
        <RouterLink to={`/virtual-device-drivers/${template.driverId}`}>{template.driverTitle}</RouterLink>
      ),
    },
    {
      label: t('devices.field.connector'),
      value: template.connectorName ?? t('templates.connectorDeletedShort'),
    },
    {
      label: t('templates.field.devices'),
      value:
        template.deviceCount === 0 ? (
          '0'
        ) : (
          <RouterLink to={`/virtual-devices?template=${template.id}`}>
            {formatNumber(template.deviceCount, 0)}
          </RouterLink>
        ),
    },
    {
      label: t('templates.field.publishedAt'),
      value: <RelativeTime time={template.publishedAt} empty={t('templates.neverPublished')} />,
    },
    { label: t('templates.field.updatedAt'), value: <RelativeTime time={template.updatedAt} /> },
    { label: t('templates.field.id'), value: template.id },
  ]
}

function Actions({ template, unsaved }: { template: Template; unsaved: boolean }) {
  const { t } = useTranslation()
  const can = useCan()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const canCreate =
    template.stage === 'productive' &&
    template.connectorId !== null &&
    (can('VirtualDevice', 'write') || can('VirtualDevice', 'manage'))
  return (
    <>
      <HistoryButton subject="DeviceTemplate" id={template.id} />
      {canCreate ? (
        <Button
          variant="default"
          leftSection={<Icon of={IconCpu} />}
          onClick={() =>
            void navigate({
              to: '/virtual-devices',
              search: {
                create: '1',
                connector: String(template.connectorId),
                template: String(template.id),
              },
            })
          }
        >
          {t('devices.create')}
        </Button>
      ) : null}
      {template.editable ? (
        <Menu>
          <Menu.Target>
            <Button variant="default" rightSection={<Icon of={IconChevronDown} size={16} />}>
              {t('common.more')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              color="red"
              leftSection={<Icon of={IconTrash} size={16} />}
              onClick={() => setDeleting(true)}
            >
              {t('templates.delete')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      ) : null}
      <PublishButton template={template} unsaved={unsaved} />
      <DeleteTemplate
        template={deleting ? template : undefined}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate({ to: '/device-templates' })}
      />
    </>
  )
}
