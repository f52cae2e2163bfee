import type { AggregationMethod } from '@leitstand/contract/series'
import type { State, StateSource, ValueType, Visualization } from '@leitstand/contract/states'
import {
  Button,
  Collapse,
  Drawer,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useHotkeys } from '@mantine/hooks'
import { IconCode } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { describeError } from '../../../lib/errors.ts'
import { useCan } from '../../../lib/session.ts'
import { CodeEditor } from '../../../ui/CodeEditor.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDanger.tsx'
import { EntityPicker } from '../../../ui/EntityPicker.tsx'
import { ErrorText } from '../../../ui/ErrorText.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { IconPicker } from '../../../ui/IconPicker.tsx'
import { notifySuccess } from '../../../ui/notify.ts'
import { methods } from '../history/query.ts'
import {
  aggregateSources,
  type Category,
  emptyState,
  formFaults,
  keyOf,
  type StateForm,
  sourcesFor,
  toForm,
  toInput,
} from './form.ts'
import { StateMultiPicker } from './StatePicker.tsx'
import classes from './states.module.css'
import { stateText } from './text.ts'
import { useStatesChanged } from './use-states.ts'

interface StateEditorProps {
  objectId: number
  accountId: number
  category: Category
  /** absent: a new state */
  state?: State
  onClose: () => void
}

type Form = UseFormReturnType<StateForm>

/** Most sources of an aggregate, as in the contract. */
const sourcesMax = 500

/** Sheet that creates or changes a state: source, type, limits, look, transformer. */
export function StateEditor({ objectId, accountId, category, state, onClose }: StateEditorProps) {
  const { t } = useTranslation()
  const changed = useStatesChanged(objectId)
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const form = useForm<StateForm>({
    initialValues: state
      ? toForm(state)
      : { ...emptyState, source: category === 'virtualDevice' ? 'connector' : 'virtual-device-aggregate' },
    validate: (values) =>
      Object.fromEntries(
        Object.entries(formFaults(values, category)).map(([name, fault]) => [
          name,
          t(fault === 'required' ? 'common.required' : `states.faults.${fault}`),
        ]),
      ),
    validateInputOnBlur: true,
  })
  const submit = form.onSubmit(async (values) => {
    setBusy(true)
    setFailure(undefined)
    try {
      const input = toInput(values)
      if (state) await client.state.update({ id: state.id, version: state.version, ...input })
      else await client.state.create({ dtwinId: objectId, key: values.key, ...input })
      notifySuccess(t(state ? 'states.saved' : 'states.created', { title: input.title }))
      await changed()
      onClose()
    } catch (error) {
      if (!placeFault(form, error, t)) setFailure(error)
      setBusy(false)
    }
  })
  useHotkeys([['mod+S', () => submit()]], [])
  const close = () => (form.isDirty() ? setAsking(true) : onClose())
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size={560}
      title={state ? t('states.editTitle', { title: state.title }) : t('states.createTitle')}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <General form={form} isNew={state === undefined} />
          <Source form={form} accountId={accountId} category={category} {...(state ? { state } : {})} />
          <Look form={form} />
          <Transformer form={form} />
          {failure === undefined ? null : <ErrorText error={failure} />}
          <div className={classes.editorFoot}>
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={busy}>
              {t(state ? 'common.save' : 'states.create')}
            </Button>
          </div>
        </Stack>
      </form>
      {/* Mounted only while it asks: else it would hear the very Escape that opened it. */}
      {asking ? (
        <ConfirmDialog
          opened
          title={t('form.leaveTitle')}
          text={t('form.leaveText')}
          confirmLabel={t('form.leave')}
          cancelLabel={t('form.stay')}
          onCancel={() => setAsking(false)}
          onConfirm={onClose}
        />
      ) : null}
    </Drawer>
  )
}

/** Puts a fault the server names by `data.field` at its field, a duplicate key at the key. */
function placeFault(form: Form, error: unknown, t: (key: string) => string): boolean {
  const { code, text, details } = describeError(error)
  if (code === 'DTWIN_STATE_DUPLICATE_KEY') {
    form.setFieldError('key', text)
    return true
  }
  if (code === 'AGGREGATE_LOOP') {
    form.setFieldError('stateIds', text)
    return true
  }
  const field = typeof details.field === 'string' ? details.field.split('.').at(-1) : undefined
  if (field === undefined || !(field in form.getValues())) return false
  form.setFieldError(field, t('states.faults.server'))
  return true
}

function General({ form, isNew }: { form: Form; isNew: boolean }) {
  const { t } = useTranslation()
  // While the key was not typed by hand it follows the title.
  const [ownKey, setOwnKey] = useState(!isNew)
  return (
    <>
      <TextInput
        label={t('states.title')}
        required
        data-autofocus
        {...form.getInputProps('title')}
        onChange={(event) => {
          const title = event.currentTarget.value
          form.setFieldValue('title', title)
          if (!ownKey) form.setFieldValue('key', keyOf(title))
        }}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t('states.key')}
          description={t(isNew ? 'states.keyHint' : 'states.keyFixed')}
          required
          disabled={!isNew}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          {...form.getInputProps('key')}
          onChange={(event) => {
            setOwnKey(true)
            form.setFieldValue('key', event.currentTarget.value)
          }}
        />
        <IconPicker
          label={t('states.icon')}
          description={t('states.iconHint')}
          value={form.values.icon}
          onChange={(icon) => form.setFieldValue('icon', icon)}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 2, xs: 3 }}>
        <Select
          label={t('states.valueType')}
          allowDeselect={false}
          data={(['number', 'text', 'boolean', 'json'] satisfies ValueType[]).map((type) => ({
            value: type,
            label: t(`states.valueTypes.${type}`),
          }))}
          {...form.getInputProps('valueType')}
        />
        <TextInput label={t('states.unit')} maxLength={30} {...form.getInputProps('unit')} />
        {form.values.valueType === 'number' ? (
          <NumberInput
            label={t('states.decimals')}
            placeholder={t('states.automatic')}
            min={0}
            max={10}
            allowDecimal={false}
            {...form.getInputProps('decimals')}
          />
        ) : null}
      </SimpleGrid>
    </>
  )
}

function Source(props: { form: Form; accountId: number; category: Category; state?: State }) {
  const { form, accountId, category, state } = props
  const { t } = useTranslation()
  const { source } = form.values
  return (
    <>
      <Title order={3}>{t('states.source')}</Title>
      <Select
        label={t('states.sourceLabel')}
        description={t(`states.sourceHints.${source}`)}
        allowDeselect={false}
        data={sourcesFor(category, state?.source).map((each) => ({
          value: each,
          label: t(`states.sources.${each}`),
        }))}
        value={source}
        onChange={(next) => form.setFieldValue('source', (next ?? 'none') as StateSource)}
      />
      {source === 'connector' ? (
        <ConnectorFields form={form} accountId={accountId} category={category} />
      ) : null}
      {aggregateSources.includes(source) ? (
        <AggregateFields form={form} {...(state ? { state } : {})} />
      ) : null}
      {source === 'random' ? (
        <SimpleGrid cols={3}>
          <NumberInput label={t('states.min')} required {...form.getInputProps('min')} />
          <NumberInput label={t('states.max')} required {...form.getInputProps('max')} />
          <NumberInput
            label={t('states.everySeconds')}
            min={1}
            max={86_400}
            allowDecimal={false}
            {...form.getInputProps('everySeconds')}
          />
        </SimpleGrid>
      ) : null}
    </>
  )
}

function ConnectorFields({
  form,
  accountId,
  category,
}: {
  form: Form
  accountId: number
  category: Category
}) {
  const { t } = useTranslation()
  const can = useCan()
  const variable = (
    <TextInput
      label={t('states.variable')}
      description={t('states.variableHint')}
      placeholder={form.values.key}
      {...form.getInputProps('variable')}
    />
  )
  if (category === 'virtualDevice') return variable
  return (
    <>
      {can('VirtualDevice', 'read') || can('VirtualDevice', 'manage') ? (
        <EntityPicker
          label={t('states.connector')}
          required
          value={form.values.connectorId}
          onChange={(id) => form.setFieldValue('connectorId', id)}
          error={form.errors.connectorId}
          load={async (search) => {
            const accountIds = [accountId]
            const { items } = await client.bridge.list({
              limit: 20,
              accountIds,
              ...(search ? { search } : {}),
            })
            return items.map((connector) => ({ value: String(connector.id), label: connector.name }))
          }}
          labelOf={async (id) => {
            const { items } = await client.bridge.list({ limit: 1000, accountIds: [accountId] })
            return items.find((connector) => String(connector.id) === id)?.name ?? id
          }}
        />
      ) : (
        <TextInput
          label={t('states.connectorId')}
          description={t('states.connectorIdHint')}
          required
          value={form.values.connectorId ?? ''}
          onChange={(event) =>
            form.setFieldValue('connectorId', event.currentTarget.value.replace(/\D/g, '') || null)
          }
          error={form.errors.connectorId}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t('states.identifier')}
          description={t('states.identifierHint')}
          required
          {...form.getInputProps('identifier')}
        />
        {variable}
      </SimpleGrid>
    </>
  )
}

function AggregateFields({ form, state }: { form: Form; state?: State }) {
  const { t } = useTranslation()
  const { stateIds, method, source } = form.values
  const preview = useQuery({
    ...api.state.aggregateValue.queryOptions({ input: { stateIds, method } }),
    enabled: stateIds.length > 0,
    placeholderData: keepPreviousData,
  })
  const loop = useQuery({
    ...api.state.checkForAggregateLoop.queryOptions({ input: { stateId: state?.id ?? 0, stateIds } }),
    enabled: state !== undefined && stateIds.length > 0,
  })
  return (
    <>
      <StateMultiPicker
        label={t('states.aggregateOf')}
        placeholder={t('states.searchState')}
        value={stateIds}
        onChange={(ids) => {
          form.setFieldValue('stateIds', ids)
          form.clearFieldError('stateIds')
        }}
        max={sourcesMax}
        error={form.errors.stateIds ?? (loop.data?.loop ? t('errors.AGGREGATE_LOOP') : null)}
        {...(source === 'virtual-device-aggregate' ? { category: 'virtualDevice' as const } : {})}
        {...(state ? { without: [state.id] } : {})}
      />
      <Select
        label={t('states.method')}
        allowDeselect={false}
        data={methods.map((each) => ({ value: each, label: t(`series.methods.${each}`) }))}
        value={method}
        onChange={(next) => form.setFieldValue('method', (next ?? 'avg') as AggregationMethod)}
      />
      {stateIds.length > 0 && preview.data ? (
        <Text size="sm" c="dimmed" aria-live="polite">
          {t('states.preview', {
            value: stateText(preview.data.value, {
              unit: form.values.unit,
              decimals: form.values.decimals === '' ? null : form.values.decimals,
            }),
            count: preview.data.inputs.filter((input) => input.value !== null).length,
            total: stateIds.length,
          })}
        </Text>
      ) : null}
      {preview.isError ? <ErrorText error={preview.error} /> : null}
    </>
  )
}

function Look({ form }: { form: Form }) {
  const { t } = useTranslation()
  if (form.values.valueType !== 'number') return null
  const kinds: Visualization['kind'][] = ['value', 'gauge']
  return (
    <>
      <Title order={3}>{t('states.look')}</Title>
      <SimpleGrid cols={2}>
        <NumberInput
          label={t('states.lowerThreshold')}
          description={t('states.lowerThresholdHint')}
          {...form.getInputProps('lowerThreshold')}
        />
        <NumberInput
          label={t('states.upperThreshold')}
          description={t('states.upperThresholdHint')}
          {...form.getInputProps('upperThreshold')}
        />
        <NumberInput
          label={t('states.lowerBound')}
          description={t('states.boundHint')}
          {...form.getInputProps('lowerBound')}
        />
        <NumberInput
          label={t('states.upperBound')}
          description={t('states.boundHint')}
          {...form.getInputProps('upperBound')}
        />
      </SimpleGrid>
      <SimpleGrid cols={3}>
        <Select
          label={t('states.kind')}
          allowDeselect={false}
          data={kinds.map((kind) => ({ value: kind, label: t(`states.kinds.${kind}`) }))}
          {...form.getInputProps('kind')}
        />
        <NumberInput label={t('states.scaleMin')} {...form.getInputProps('scaleMin')} />
        <NumberInput label={t('states.scaleMax')} {...form.getInputProps('scaleMax')} />
      </SimpleGrid>
    </>
  )
}

function Transformer({ form }: { form: Form }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(form.values.transformer !== '')
  const completions = [
    { label: 'value', detail: t('states.vars.value') },
    { label: 'meta', detail: t('states.vars.meta') },
    ...(aggregateSources.includes(form.values.source)
      ? [{ label: 'values', detail: t('states.vars.values') }]
      : []),
    { label: '_', detail: 'lodash' },
  ]
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<Icon of={IconCode} size={16} />}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {t(open ? 'states.transformerHide' : 'states.transformerShow')}
      </Button>
      <Collapse expanded={open}>
        <Text size="xs" c="dimmed" my={6}>
          {t('states.transformerHint')}
        </Text>
        <CodeEditor
          language="javascript"
          label={t('states.transformer')}
          value={form.values.transformer}
          onChange={(code) => form.setFieldValue('transformer', code)}
          completions={completions}
          height="140px"
        />
      </Collapse>
    </div>
  )
}
