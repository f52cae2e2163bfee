import { Text as ContractText, Title } from '@leitstand/contract/common'
import {
  expectations,
  PacketMonitoring,
  type SmartGroup,
  type SmartGroupFilter,
} from '@leitstand/contract/smartGroups'
import {
  Alert,
  Fieldset,
  Group,
  NumberInput,
  Select,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { api, client } from '../../../lib/api.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useSession } from '../../../lib/session.ts'
import { check } from '../../../lib/validation.ts'
import { AccountSelect } from '../../../ui/accounts/AccountSelect.tsx'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { DialogForm, useDialogForm } from '../../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../../ui/forms/FormModal.tsx'
import { FilterBar } from '../../../ui/list/FilterBar.tsx'
import { useDeviceFilters } from '../../devices/index.ts'
import { stateOf, useFilterState } from './filterState.ts'
import { devicesOf, invalidateGroups } from './queries.ts'

interface EditGroupProps {
  /** absent: a new one */
  group?: SmartGroup
  /** of a new one */
  filter?: SmartGroupFilter
  onClose: () => void
  onCreated?: (id: number) => void
}

/** Creates or changes a smart group. */
export default function EditGroup(props: EditGroupProps) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={props.onClose}
      title={t(props.group ? 'smartGroups.edit' : 'smartGroups.create')}
      size="xl"
    >
      <GroupForm {...props} />
    </FormModal>
  )
}

interface Values {
  title: string
  description: string
  accountId: string | null
  filter: SmartGroupFilter
  watched: boolean
  monitoring: Monitoring
}

type Monitoring = Record<'packetsPerDay' | 'windowHours' | 'threshold' | 'hysteresis', number | string> & {
  expected: (typeof expectations)[number]
}

const usual: Monitoring = {
  expected: 'learned',
  packetsPerDay: 24,
  windowHours: 24,
  threshold: 50,
  hysteresis: 10,
}

const Input = z.object({
  title: Title,
  description: ContractText,
  accountId: z.int(),
  monitoring: PacketMonitoring.nullable(),
})

/** Empty number fields are texts. */
const toNumber = (value: number | string) => (value === '' ? null : Number(value))

function toInput({ title, description, accountId, monitoring, watched }: Values) {
  const { expected, packetsPerDay, ...numbers } = monitoring
  return {
    title,
    description,
    accountId: accountId === null ? null : Number(accountId),
    monitoring: watched
      ? {
          expected,
          packetsPerDay: expected === 'number' ? toNumber(packetsPerDay) : null,
          windowHours: toNumber(numbers.windowHours),
          threshold: toNumber(numbers.threshold),
          hysteresis: toNumber(numbers.hysteresis),
        }
      : null,
  }
}

const checkInput = check(Input)
const faultsOf = (values: Values) => checkInput(toInput(values))

function useGroupForm({ group, filter, onClose, onCreated }: EditGroupProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const session = useSession()
  const own = session.status === 'user' ? session.tenantId : null
  return useDialogForm<Values, SmartGroup>({
    initial: () => ({
      title: group?.title ?? '',
      description: group?.description ?? '',
      accountId: group ? String(group.accountId) : own === null ? null : String(own),
      filter: group?.filter ?? filter ?? {},
      watched: (group?.monitoring ?? null) !== null,
      monitoring: group?.monitoring
        ? { ...group.monitoring, packetsPerDay: group.monitoring.packetsPerDay ?? usual.packetsPerDay }
        : usual,
    }),
    faultsOf,
    save: (values) => {
      const input = { ...Input.parse(toInput(values)), filter: values.filter }
      if (!group) return client.smartGroup.create(input)
      const { accountId: _, ...change } = input
      return client.smartGroup.update({ ...change, id: group.id, version: group.version })
    },
    onMade: async ({ id, title }) => {
      await invalidateGroups(cache)
      notifySuccess(t('smartGroups.savedNote', { title }))
      onClose()
      if (!group) onCreated?.(id)
    },
    onClose,
  })
}

function GroupForm(props: EditGroupProps) {
  const { t } = useTranslation()
  const { group } = props
  const { values, set, faultAt, form } = useGroupForm(props)
  return (
    <DialogForm form={form} saveLabel={t(group ? 'common.save' : 'smartGroups.create')}>
      {group ? null : (
        <AccountSelect
          label={t('smartGroups.account')}
          description={t('smartGroups.accountHint')}
          value={values.accountId}
          onChange={(accountId) => set({ accountId })}
          error={faultAt('accountId')}
          required
        />
      )}
      <TextInput
        label={t('smartGroups.title')}
        value={values.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
        error={faultAt('title')}
        required
        autoComplete="off"
        data-autofocus
      />
      <Textarea
        label={t('smartGroups.description')}
        value={values.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        error={faultAt('description')}
        autosize
        minRows={2}
      />
      <GroupFilter
        initial={values.filter}
        accountId={values.accountId}
        filter={values.filter}
        onChange={(filter) => set({ filter })}
      />
      <MonitoringFields
        watched={values.watched}
        monitoring={values.monitoring}
        faultAt={(field) => faultAt(`monitoring.${field}` as 'monitoring')}
        onWatch={(watched) => set({ watched })}
        onChange={(change) => set({ monitoring: { ...values.monitoring, ...change } })}
      />
    </DialogForm>
  )
}

interface GroupFilterProps {
  initial: SmartGroupFilter
  filter: SmartGroupFilter
  accountId: string | null
  onChange: (filter: SmartGroupFilter) => void
}

/** The filter bar of the device list, and how many devices it finds. */
function GroupFilter({ initial, filter, accountId, onChange }: GroupFilterProps) {
  const { t } = useTranslation()
  const filters = useDeviceFilters()
  const [first] = useState(initial)
  const list = useFilterState(filters, first, onChange)
  const isShown = stateOf(filter, []) !== null
  const [asked] = useDebouncedValue({ filter, accountId: Number(accountId) }, 300)
  const found = useQuery({
    ...api.virtualdevice.list.queryOptions({
      input: { filters: devicesOf(asked), limit: 1, ids_only: true },
      placeholderData: keepPreviousData,
    }),
    enabled: accountId !== null,
  })
  return (
    <Fieldset legend={t('smartGroups.filter')}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t('smartGroups.filterHint')}
        </Text>
        {isShown ? null : <Alert color="yellow">{t('smartGroups.ownFilterHint')}</Alert>}
        <FilterBar
          list={list}
          filters={filters}
          searchPlaceholder={t('devices.search')}
          withAccounts
          withFavorites={false}
        />
        {found.isError ? <ErrorText error={found.error} /> : null}
        <Text size="sm" fw={550} role="status">
          {found.data
            ? t('smartGroups.found', { count: found.data.total, shown: formatNumber(found.data.total, 0) })
            : '\u00a0'}
        </Text>
      </Stack>
    </Fieldset>
  )
}

interface MonitoringFieldsProps {
  watched: boolean
  monitoring: Monitoring
  faultAt: (field: keyof Monitoring) => string | null
  onWatch: (watched: boolean) => void
  onChange: (change: Partial<Monitoring>) => void
}

function MonitoringFields({ watched, monitoring, faultAt, onWatch, onChange }: MonitoringFieldsProps) {
  const { t } = useTranslation()
  const number = (field: Exclude<keyof Monitoring, 'expected'>, unit: string) => ({
    label: t(`smartGroups.${field}`),
    description: t(`smartGroups.${field}Hint`),
    value: monitoring[field],
    onChange: (value: number | string) => onChange({ [field]: value }),
    error: faultAt(field),
    min: 0,
    suffix: `\u202f${unit}`,
    required: true,
  })
  return (
    <Fieldset legend={t('smartGroups.monitoring')}>
      <Stack gap="sm">
        <Switch
          label={t('smartGroups.watch')}
          description={t('smartGroups.watchHint')}
          checked={watched}
          onChange={(event) => onWatch(event.currentTarget.checked)}
        />
        {watched ? (
          <>
            <Group grow align="flex-start" preventGrowOverflow={false}>
              <Select
                label={t('smartGroups.expected')}
                description={t(`smartGroups.expectedHints.${monitoring.expected}`)}
                data={expectations.map((value) => ({ value, label: t(`smartGroups.expectations.${value}`) }))}
                value={monitoring.expected}
                onChange={(value) => onChange({ expected: value as Monitoring['expected'] })}
                allowDeselect={false}
                required
              />
              {monitoring.expected === 'number' ? (
                <NumberInput {...number('packetsPerDay', t('smartGroups.perDay'))} />
              ) : null}
            </Group>
            <Group grow align="flex-start" preventGrowOverflow={false}>
              <NumberInput {...number('windowHours', t('smartGroups.hours'))} allowDecimal={false} />
              <NumberInput {...number('threshold', '%')} allowDecimal={false} />
              <NumberInput {...number('hysteresis', '%')} allowDecimal={false} />
            </Group>
          </>
        ) : null}
      </Stack>
    </Fieldset>
  )
}
