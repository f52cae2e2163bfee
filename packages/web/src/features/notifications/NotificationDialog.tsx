import type { AlarmNotification } from '@leitstand/contract/alarmNotifications'
import { Checkbox, Group, MultiSelect, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { reread } from '../../lib/reread.ts'
import { useCan, useUser } from '../../lib/session.ts'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { TimeField } from '../../ui/forms/TimeField.tsx'
import { alarmFilterValues } from '../alarms/index.ts'
import { findGroups, nameGroup } from '../groups/index.ts'
import { ConnectorField } from '../rules/index.ts'
import { findTwins, nameTwin } from '../twins/index.ts'
import { faultKeysOf, inputOf, type Values, valuesOf } from './values.ts'

interface NotificationDialogProps {
  /** null: a new one */
  editing: AlarmNotification | null
  onClose: () => void
}

/** Creates or changes a notification of the user. */
export function NotificationDialog({ editing, onClose }: NotificationDialogProps) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t(editing ? 'notifications.edit' : 'notifications.create')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      size="lg"
      centered
    >
      <NotificationForm editing={editing} onClose={onClose} />
    </FormModal>
  )
}

function NotificationForm({ editing, onClose }: NotificationDialogProps) {
  const { t } = useTranslation()
  const { accountId } = useUser()
  const cache = useQueryClient()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => valuesOf(editing),
    faultsOf: (entered) =>
      Object.fromEntries(
        Object.entries(faultKeysOf(entered)).map(([field, key]) => [field, t(`validation.${key}`)]),
      ),
    save: async (entered) => {
      const input = inputOf(entered, editing?.active ?? true)
      if (editing === null) await client.alarmNotifications.create(input)
      else await client.alarmNotifications.update({ ...input, id: editing.id, version: editing.version })
      await reread(cache, api.alarmNotifications.key())
      return null
    },
    onMade: () => undefined,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('common.save')}>
      <TextInput
        data-autofocus
        label={t('notifications.title')}
        placeholder={t('notifications.titleHint')}
        required
        maxLength={100}
        value={values.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
        error={faultAt('title')}
      />
      <Select
        label={t('notifications.channel')}
        allowDeselect={false}
        data={(['mail', 'push', 'webhook'] as const).map((channel) => ({
          value: channel,
          label: t(`notifications.channels.${channel}`),
        }))}
        value={values.channel}
        onChange={(channel) => set({ channel: channel as Values['channel'] })}
        description={t(`notifications.channelHints.${values.channel}`)}
      />
      {values.channel === 'webhook' ? (
        <ConnectorField
          accountId={accountId}
          capability="outgoing"
          value={values.connectorId}
          onChange={(connectorId) => set({ connectorId })}
          error={faultAt('connectorId')}
        />
      ) : null}
      <Which values={values} set={set} />
      <When values={values} set={set} fault={faultAt('digestAt') ?? faultAt('quietFrom')} />
    </DialogForm>
  )
}

interface PartProps {
  values: Values
  set: (change: Partial<Values>) => void
}

function Which({ values, set }: PartProps) {
  const { t } = useTranslation()
  const can = useCan()
  return (
    <>
      <div>
        <Text size="sm" fw={500} mb={4} id="notification-severity">
          {t('alarms.severity')}
        </Text>
        <SegmentedControl
          aria-labelledby="notification-severity"
          data={(['warning', 'error'] as const).map((severity) => ({
            value: severity,
            label: t(`notifications.severities.${severity}`),
          }))}
          value={values.severity}
          onChange={(severity) => set({ severity: severity as Values['severity'] })}
        />
      </div>
      <MultiSelect
        label={t('alarms.category')}
        {...(values.categories.length === 0 ? { placeholder: t('notifications.all') } : {})}
        clearable
        data={alarmFilterValues.category.map((category) => ({
          value: category,
          label: t(`alarms.categories.${category}`),
        }))}
        value={values.categories}
        onChange={(categories) => set({ categories: categories as Values['categories'] })}
      />
      <MultiSelect
        label={t('alarms.rule')}
        {...(values.sources.length === 0 ? { placeholder: t('notifications.all') } : {})}
        clearable
        data={alarmFilterValues.source.map((source) => ({
          value: source,
          label: t(`alarms.sources.${source}`),
        }))}
        value={values.sources}
        onChange={(sources) => set({ sources: sources as Values['sources'] })}
      />
      <EntityPicker
        label={t('notifications.twin')}
        placeholder={t('notifications.everywhere')}
        value={values.twinId === null ? null : String(values.twinId)}
        load={findTwins}
        labelOf={nameTwin}
        onChange={(twin) => set({ twinId: twin === null ? null : Number(twin) })}
      />
      {can('VirtualDevice', 'read') ? (
        <EntityPicker
          label={t('notifications.group')}
          placeholder={t('notifications.everyDevice')}
          value={values.groupId === null ? null : String(values.groupId)}
          load={findGroups}
          labelOf={nameGroup}
          onChange={(group) => set({ groupId: group === null ? null : Number(group) })}
        />
      ) : null}
      <Checkbox
        label={t('notifications.resolved')}
        checked={values.resolved}
        onChange={(event) => set({ resolved: event.currentTarget.checked })}
      />
    </>
  )
}

function When({ values, set, fault }: PartProps & { fault: string | null }) {
  const { t } = useTranslation()
  return (
    <Stack gap="sm">
      <Checkbox
        label={t('notifications.digest')}
        description={t('notifications.digestHint')}
        checked={values.isDigest}
        onChange={(event) => set({ isDigest: event.currentTarget.checked })}
      />
      {values.isDigest ? (
        <TimeField
          label={t('notifications.digestAt')}
          value={values.digestAt}
          onChange={(digestAt) => set({ digestAt })}
        />
      ) : (
        <>
          <Checkbox
            label={t('notifications.quiet')}
            description={t('notifications.quietHint')}
            checked={values.isQuiet}
            onChange={(event) => set({ isQuiet: event.currentTarget.checked })}
          />
          {values.isQuiet ? (
            <Group>
              <TimeField
                label={t('notifications.quietFrom')}
                value={values.quietFrom}
                onChange={(quietFrom) => set({ quietFrom })}
              />
              <TimeField
                label={t('notifications.quietTo')}
                value={values.quietTo}
                onChange={(quietTo) => set({ quietTo })}
              />
            </Group>
          ) : null}
        </>
      )}
      {fault === null ? null : (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {fault}
        </Text>
      )}
    </Stack>
  )
}
