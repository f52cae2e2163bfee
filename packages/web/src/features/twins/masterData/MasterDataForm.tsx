import { Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import { FormLayout } from '../../../ui/forms/FormLayout.tsx'
import type { MasterValues } from '../../../ui/forms/masterValues.ts'
import { ResponsibleSection } from '../responsible/ResponsibleSection.tsx'
import { DescriptionFields } from './DescriptionFields.tsx'
import { PlaceFields } from './PlaceFields.tsx'
import { PropertyFields } from './PropertyFields.tsx'

interface MasterDataFormProps<Values extends MasterValues & Record<string, unknown>> {
  id: number
  form: UseFormReturnType<Values>
  /** see `FormLayout` */
  onSave: (values: Values) => Promise<unknown>
  editable: boolean
  kind: 'twin' | 'device'
  /** tags and zones in use, to choose from */
  marks: { tags: readonly string[]; zones: readonly string[] } | undefined
  /** fields after the title */
  first?: ReactNode
  /** fields at the end of the description */
  last?: ReactNode
  /** sections between description and place */
  sections?: ReactNode
  /** see `PlaceFields` */
  withFloor?: boolean
  /** see `PlaceFields` */
  map?: ReactNode
  /** sections below the form */
  children?: ReactNode
}

/** The master data of a twin or a device, with slots for what only one of them has. */
export function MasterDataForm<Values extends MasterValues & Record<string, unknown>>(
  props: MasterDataFormProps<Values>,
) {
  const { id, form, editable, kind } = props
  return (
    <Stack gap="md">
      <fieldset disabled={!editable} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
        <FormLayout form={form} onSave={props.onSave}>
          <DescriptionFields
            form={form}
            kind={kind}
            marks={props.marks}
            first={props.first}
            last={props.last}
          />
          {props.sections}
          <PlaceFields
            form={form}
            kind={kind}
            id={id}
            readOnly={!editable}
            withFloor={props.withFloor ?? true}
            map={props.map}
          />
          <PropertyFields form={form} kind={kind} />
        </FormLayout>
      </fieldset>
      <ResponsibleSection objectId={id} editable={editable} />
      {props.children}
    </Stack>
  )
}
