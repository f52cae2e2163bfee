import {
  ActionIcon,
  Alert,
  Button,
  Group,
  NumberInput,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconAlertTriangle, IconArrowLeft, IconArrowRight, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import type { DriverValues } from '../values.ts'
import { FieldRow } from './FieldRow.tsx'
import { emptyLayout, type LayoutsValues, type LayoutValues, nextField } from './layoutValues.ts'
import { PayloadPicture } from './PayloadPicture.tsx'
import classes from './parser.module.css'

const fieldsMax = 200
const layoutsMax = 50

interface LayoutEditorProps {
  form: UseFormReturnType<DriverValues>
  /** hexadecimal digits of the packet selected in the tester */
  hex: string
  readOnly: boolean
  /** whether there may be several layouts, each with a condition */
  several?: boolean
}

/** A payload's fields with a picture of them; of several layouts, shows one at a time. */
export function LayoutEditor({ form, hex, readOnly, several = false }: LayoutEditorProps) {
  const { layouts } = form.getValues().parser as unknown as LayoutsValues
  const [chosen, setChosen] = useState(0)
  const index = Math.min(chosen, layouts.length - 1)
  const layout = layouts[index]
  if (!layout) return null
  return (
    <fieldset
      disabled={readOnly}
      className={classes.picture}
      style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}
    >
      <Stack gap="md">
        {several ? <Layouts form={form} layouts={layouts} chosen={index} onChoose={setChosen} /> : null}
        <Fields key={index} form={form} index={index} layout={layout} hex={hex} />
      </Stack>
    </fieldset>
  )
}

function Fields(props: {
  form: UseFormReturnType<DriverValues>
  index: number
  layout: LayoutValues
  hex: string
}) {
  const { t } = useTranslation()
  const { form, index, layout, hex } = props
  const [active, setActive] = useState<number | null>(null)
  const path = `parser.layouts.${index}.fields`
  const missing = form.errors[path]
  return (
    <Section
      title={t('drivers.layout.fields')}
      description={t('drivers.layout.text')}
      actions={
        <Button
          variant="default"
          size="compact-md"
          leftSection={<Icon of={IconPlus} size={16} />}
          disabled={layout.fields.length >= fieldsMax}
          onClick={() => form.insertListItem(path, nextField(layout.fields))}
        >
          {t('drivers.layout.add')}
        </Button>
      }
    >
      <PayloadPicture hex={hex} fields={layout.fields} active={active} />
      {missing ? (
        <Text size="sm" c="var(--health-error)" mt="sm">
          {missing}
        </Text>
      ) : null}
      <ol className={classes.fields}>
        {layout.fields.map((field, at) => (
          <FieldRow
            key={form.key(`${path}.${at}`)}
            form={form}
            path={`${path}.${at}`}
            index={at}
            field={field}
            onActive={(on) => setActive(on ? at : null)}
            onRemove={() => form.removeListItem(path, at)}
          />
        ))}
      </ol>
    </Section>
  )
}

/** The layouts in evaluation order, and the condition of the selected one. */
function Layouts(props: {
  form: UseFormReturnType<DriverValues>
  layouts: readonly LayoutValues[]
  chosen: number
  onChoose: (index: number) => void
}) {
  const { t } = useTranslation()
  const { form, layouts, chosen, onChoose } = props
  const faulty = (index: number) =>
    Object.keys(form.errors).some((path) => path.startsWith(`parser.layouts.${index}.`))
  const move = (to: number) => {
    form.reorderListItem('parser.layouts', { from: chosen, to })
    onChoose(to)
  }
  return (
    <Section
      title={t('drivers.layout.layouts')}
      description={t('drivers.layout.layoutsText')}
      actions={
        <Button
          variant="default"
          size="compact-md"
          leftSection={<Icon of={IconPlus} size={16} />}
          disabled={layouts.length >= layoutsMax}
          onClick={() => {
            form.insertListItem('parser.layouts', emptyLayout())
            onChoose(layouts.length)
          }}
        >
          {t('drivers.layout.addLayout')}
        </Button>
      }
    >
      <Group justify="space-between" align="start" gap={8} mb="sm">
        <div className={classes.layouts}>
          {layouts.map((layout, index) => (
            <Button
              key={form.key(`parser.layouts.${index}`)}
              size="compact-md"
              variant={index === chosen ? 'light' : 'default'}
              aria-pressed={index === chosen}
              leftSection={faulty(index) ? <Icon of={IconAlertTriangle} size={14} /> : undefined}
              onClick={() => onChoose(index)}
            >
              {layout.title || t('drivers.layout.layout', { number: index + 1 })}
            </Button>
          ))}
        </div>
        <Group gap={2} wrap="nowrap">
          <ActionIcon
            aria-label={t('drivers.layout.earlier')}
            disabled={chosen === 0}
            onClick={() => move(chosen - 1)}
          >
            <Icon of={IconArrowLeft} size={16} />
          </ActionIcon>
          <ActionIcon
            aria-label={t('drivers.layout.later')}
            disabled={chosen === layouts.length - 1}
            onClick={() => move(chosen + 1)}
          >
            <Icon of={IconArrowRight} size={16} />
          </ActionIcon>
          <RemoveButton
            label={t('drivers.layout.removeLayout')}
            disabled={layouts.length === 1}
            onClick={() => {
              form.removeListItem('parser.layouts', chosen)
              onChoose(Math.max(0, chosen - 1))
            }}
          />
        </Group>
      </Group>
      <Conditions form={form} index={chosen} />
    </Section>
  )
}

function Conditions({ form, index }: { form: UseFormReturnType<DriverValues>; index: number }) {
  const { t } = useTranslation()
  const path = `parser.layouts.${index}.when`
  const fault = form.errors[path]
  return (
    <>
      {fault ? (
        <Alert color="red" variant="light" mb="sm" icon={<Icon of={IconAlertTriangle} />}>
          {fault}
        </Alert>
      ) : null}
      <div className={classes.conditions}>
        <TextInput
          label={t('drivers.layout.title')}
          {...form.getInputProps(`parser.layouts.${index}.title`)}
        />
        <TagsInput
          label={t('drivers.layout.ports')}
          placeholder={t('drivers.layout.portsExample')}
          splitChars={[',', ' ', ';']}
          {...form.getInputProps(`${path}.ports`)}
          error={Object.entries(form.errors).find(([key]) => key.startsWith(`${path}.ports`))?.[1]}
        />
        {(['lengthMin', 'lengthMax'] as const).map((key) => (
          <NumberInput
            key={key}
            label={t(`drivers.layout.${key}`)}
            min={0}
            allowDecimal={false}
            hideControls
            {...form.getInputProps(`${path}.${key}`)}
          />
        ))}
        <NumberInput
          label={t('drivers.layout.bytesAt')}
          min={0}
          allowDecimal={false}
          hideControls
          {...form.getInputProps(`${path}.bytes.offset`)}
        />
        <TextInput
          classNames={{ root: classes.mono ?? '' }}
          label={t('drivers.layout.bytesValue')}
          placeholder="0A"
          spellCheck={false}
          {...form.getInputProps(`${path}.bytes.value`)}
        />
      </div>
    </>
  )
}
