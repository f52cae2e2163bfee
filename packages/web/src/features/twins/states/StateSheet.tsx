import type { StateSource as SourceName, State, ValueType, Visualization } from '@leitstand/contract/states'
import { Button, Collapse, NumberInput, Select, SimpleGrid, Text, TextInput, Title } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconCode } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { describeError } from '../../../lib/errors.ts'
import { CodeEditor } from '../../../ui/code/CodeEditor.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EditorSheet } from '../../../ui/forms/EditorSheet.tsx'
import { IconPicker } from '../../../ui/forms/IconPicker.tsx'
import { UnitField } from '../../../ui/forms/UnitField.tsx'
import { useCheckedForm } from '../../../ui/forms/useCheckedForm.ts'
import { type Category, formFaults, keyOf, type StateForm } from './form.ts'
import { StateSource } from './StateSource.tsx'
import { placeOf } from './serverFault.ts'
import { isAggregate, sources } from './sources/index.ts'
import { UnitChangeNotice } from './UnitChangeNotice.tsx'

interface StateSheetProps {
  title: string
  initial: StateForm
  accountId: number
  /** the twin or device; absent in templates */
  objectId?: number
  category: Category
  /** the stored state, if any */
  state?: State
  /** available sources, if fewer than the category allows */
  sources?: readonly SourceName[]
  /** picker for an aggregate's source states, if they are not stored ones */
  sourcesPicker?: (form: Form) => ReactNode
  isKeyFixed: boolean
  /** keys already in use */
  takenKeys?: readonly string[]
  saveLabel: string
  /** Stores the values or keeps them for later; if it throws, the sheet stays open and shows the error. */
  store: (values: StateForm) => Promise<void>
  onClose: () => void
  /** below the form */
  children?: ReactNode
}

type Form = UseFormReturnType<StateForm>

/** Sheet with the form of a state: source, type, limits, display, transformer. */
export function StateSheet(props: StateSheetProps) {
  const { category, state, store, onClose } = props
  const { t } = useTranslation()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const form = useCheckedForm<StateForm>({
    initialValues: props.initial,
    validate: (values) => ({
      ...(props.takenKeys?.includes(values.key) ? { key: t('errors.DTWIN_STATE_DUPLICATE_KEY') } : {}),
      ...Object.fromEntries(
        Object.entries(formFaults(values, category)).map(([name, fault]) => [
          name,
          t(fault === 'required' ? 'common.required' : `states.faults.${fault}`),
        ]),
      ),
    }),
  })
  const submit = form.onSubmit(async (values) => {
    setBusy(true)
    setFailure(undefined)
    try {
      await store(values)
      onClose()
    } catch (error) {
      if (!placeFault(form, error, t)) setFailure(error)
      setBusy(false)
    }
  })
  return (
    <EditorSheet
      title={props.title}
      size={560}
      saveLabel={props.saveLabel}
      dirty={form.isDirty()}
      busy={busy}
      failure={failure}
      onSave={submit}
      onClose={onClose}
    >
      <General form={form} isNew={!props.isKeyFixed} state={state} />
      <StateSource
        form={form}
        accountId={props.accountId}
        category={category}
        {...(props.sources ? { sources: props.sources } : {})}
        {...(props.sourcesPicker ? { sourcesPicker: props.sourcesPicker } : {})}
        {...(state ? { state } : {})}
        {...(props.objectId === undefined ? {} : { objectId: props.objectId })}
      />
      <Look form={form} />
      <Transformer form={form} />
      {props.children}
    </EditorSheet>
  )
}

/** Shows a server error at its field. */
function placeFault(form: Form, error: unknown, t: (key: string) => string): boolean {
  const { code, text, details } = describeError(error)
  const place = placeOf(code, details, form.getValues())
  if (place === undefined) return false
  form.setFieldError(place.field, place.hasText ? text : t('states.faults.server'))
  return true
}

function General({ form, isNew, state }: { form: Form; isNew: boolean; state: State | undefined }) {
  const { t } = useTranslation()
  // Until the user edits the key, it follows the title.
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
        <UnitField label={t('states.unit')} {...form.getInputProps('unit')} />
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
      {form.values.valueType === 'number' ? (
        <Select
          label={t('states.positionAxis')}
          description={t('states.positionAxisHint')}
          placeholder={t('states.positionAxisNone')}
          clearable
          data={(['latitude', 'longitude'] as const).map((axis) => ({
            value: axis,
            label: t(`states.positionAxes.${axis}`),
          }))}
          {...form.getInputProps('positionAxis')}
        />
      ) : null}
      {state ? (
        <UnitChangeNotice
          form={form}
          state={state}
          isComputed={isAggregate(state.source) || isAggregate(form.values.source)}
        />
      ) : null}
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
    ...(sources[form.values.source].fields === 'aggregate'
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
