import type { Announcement } from '@leitstand/contract/announcements'
import { announcementLimits, announcementTypes, presentationTypes } from '@leitstand/contract/announcements'
import { Checkbox, Group, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { reread } from '../../lib/reread.ts'
import { check } from '../../lib/validation.ts'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { DateTimeField } from '../../ui/forms/DateTimeField.tsx'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import classes from './announcements.module.css'
import { Note } from './Note.tsx'
import { copyOf, faultsBy, inputOf, newValues, Schema, type Values, valuesOf } from './values.ts'

interface AnnouncementDialogProps {
  /** absent: a new one */
  of?: number
  /** a new one like it */
  isCopy?: boolean
  /** of a new one */
  accountId: number | null
  onClose: () => void
}

/** Creates or changes an announcement, and shows how it will look. */
export default function AnnouncementDialog(props: AnnouncementDialogProps) {
  const { t } = useTranslation()
  const isChange = props.of !== undefined && !props.isCopy
  return (
    <FormModal
      opened
      onClose={props.onClose}
      title={t(isChange ? 'announcements.edit' : 'announcements.create')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      size="lg"
    >
      {props.of === undefined ? (
        <AnnouncementForm initial={newValues(props.accountId)} onClose={props.onClose} />
      ) : (
        <StoredAnnouncement {...props} id={props.of} />
      )}
    </FormModal>
  )
}

function StoredAnnouncement({ id, isCopy = false, onClose }: AnnouncementDialogProps & { id: number }) {
  // As it is now: the list may be older.
  const query = useQuery(api.announcement.get.queryOptions({ input: { id }, staleTime: 0, gcTime: 0 }))
  if (query.isError && !query.data)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
  if (!query.data) return <Loading lines={6} />
  return isCopy ? (
    <AnnouncementForm initial={copyOf(query.data, Date.now())} onClose={onClose} />
  ) : (
    <AnnouncementForm stored={query.data} initial={valuesOf(query.data)} onClose={onClose} />
  )
}

interface FormProps {
  /** absent: a new one */
  stored?: Announcement
  initial: Values
  onClose: () => void
}

const checkInput = check(Schema)

function AnnouncementForm({ stored, initial, onClose }: FormProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => initial,
    faultsOf: (entered) => ({
      ...(entered.accountId === null ? { accountId: t('validation.required') } : {}),
      ...faultsBy(checkInput, entered),
    }),
    save: async (entered) => {
      const input = inputOf(entered)
      if (stored) await client.announcement.update({ ...input, id: stored.id, version: stored.version })
      else if (entered.accountId !== null)
        await client.announcement.create({ ...input, id: entered.accountId })
      await reread(cache, api.announcement.key())
      return null
    },
    onMade: () => undefined,
    onClose,
  })
  const part: PartProps = { values, set, faultAt }
  return (
    <DialogForm form={form} saveLabel={t(stored ? 'common.save' : 'announcements.create')}>
      <Whom {...part} isNew={stored === undefined} />
      <What {...part} />
      <When {...part} />
      {stored && stored.dismissals > 0 ? (
        <Text size="sm" c="dimmed">
          {t('announcements.dismissed', { count: stored.dismissals })}
        </Text>
      ) : null}
      <Preview values={values} />
    </DialogForm>
  )
}

interface PartProps {
  values: Values
  set: (change: Partial<Values>) => void
  faultAt: (field: keyof Values) => string | null
}

function Whom({ values, set, faultAt, isNew }: PartProps & { isNew: boolean }) {
  const { t } = useTranslation()
  return (
    <>
      {isNew ? (
        <AccountSelect
          label={t('announcements.account')}
          required
          value={values.accountId === null ? null : String(values.accountId)}
          onChange={(id) => set({ accountId: id === null ? null : Number(id) })}
          error={faultAt('accountId')}
        />
      ) : null}
      <Checkbox
        label={t('announcements.below')}
        checked={values.includeSubTenants}
        onChange={(event) => set({ includeSubTenants: event.currentTarget.checked })}
      />
      {values.accountId === null ? null : <Reach {...values} accountId={values.accountId} />}
    </>
  )
}

function Reach({ accountId, includeSubTenants }: { accountId: number; includeSubTenants: boolean }) {
  const { t } = useTranslation()
  const { data } = useQuery(
    api.announcement.reach.queryOptions({ input: { id: accountId, includeSubTenants } }),
  )
  return (
    <Text size="sm" c="dimmed" role="status" mih={22}>
      {data
        ? t('announcements.reach', {
            users: t('announcements.reachUsers', { count: data.users }),
            accounts: t('announcements.reachAccounts', { count: data.accounts }),
          })
        : null}
    </Text>
  )
}

function What({ values, set, faultAt }: PartProps) {
  const { t } = useTranslation()
  return (
    <>
      <Group grow align="flex-start" className={classes.pair ?? ''}>
        <Select
          label={t('announcements.type')}
          allowDeselect={false}
          data={announcementTypes.map((value) => ({ value, label: t(`announcements.types.${value}`) }))}
          value={values.type}
          onChange={(type) => set({ type: type as Values['type'] })}
        />
        <Select
          label={t('announcements.presentation')}
          allowDeselect={false}
          data={presentationTypes.map((value) => ({
            value,
            label: t(`announcements.presentations.${value}`),
          }))}
          value={values.presentationType}
          onChange={(chosen) => set({ presentationType: chosen as Values['presentationType'] })}
        />
      </Group>
      <Textarea
        data-autofocus
        label={t('announcements.text')}
        required
        autosize
        minRows={2}
        maxRows={6}
        maxLength={announcementLimits.textMax}
        value={values.text}
        onChange={(event) => set({ text: event.currentTarget.value })}
        error={faultAt('text')}
      />
      <Group grow align="flex-start" className={classes.pair ?? ''}>
        <TextInput
          label={t('announcements.url')}
          placeholder="https://"
          type="url"
          value={values.url}
          onChange={(event) => set({ url: event.currentTarget.value })}
          error={faultAt('url')}
        />
        <TextInput
          label={t('announcements.linkText')}
          maxLength={announcementLimits.linkTextMax}
          value={values.linkText}
          onChange={(event) => set({ linkText: event.currentTarget.value })}
          error={faultAt('linkText')}
        />
      </Group>
    </>
  )
}

function When({ values, set, faultAt }: PartProps) {
  const { t } = useTranslation()
  return (
    <>
      <Group grow align="flex-start" className={classes.pair ?? ''}>
        <DateTimeField
          label={t('announcements.start')}
          placeholder={t('announcements.atOnce')}
          value={values.start}
          onChange={(start) => set({ start })}
          error={faultAt('start')}
        />
        <DateTimeField
          label={t('announcements.end')}
          placeholder={t('announcements.noEnd')}
          value={values.end}
          onChange={(end) => set({ end })}
          error={faultAt('end')}
        />
      </Group>
      <Switch
        label={t('announcements.active')}
        checked={values.active}
        onChange={(event) => set({ active: event.currentTarget.checked })}
      />
    </>
  )
}

function Preview({ values }: { values: Values }) {
  const { t } = useTranslation()
  const { type, presentationType, text, link } = inputOf(values)
  return (
    <Stack gap={6} component="section" aria-label={t('announcements.preview')}>
      <Text size="sm" fw={500}>
        {t('announcements.preview')}
      </Text>
      <Note note={{ type, presentationType, text: text.trim() || t('announcements.textHint'), link }} />
    </Stack>
  )
}
