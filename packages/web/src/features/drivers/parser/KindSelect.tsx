import { Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../../ui/feedback/ConfirmDanger.tsx'
import type { DriverValues } from '../values.ts'
import { emptyParser, kinds, type ParserKind, parserKinds } from './kinds/index.ts'
import classes from './parser.module.css'

/** The parser's kind. Changing it discards the parser, so it asks first. */
export function KindSelect({ form, readOnly }: { form: UseFormReturnType<DriverValues>; readOnly: boolean }) {
  const { t } = useTranslation()
  const { kind } = form.getValues().parser
  const [asked, setAsked] = useState<ParserKind | null>(null)
  const take = (next: ParserKind) => {
    form.setFieldValue('parser', emptyParser(next))
    form.setFieldValue('script', kinds[next].scriptStart ?? '')
    form.setFieldValue('parserSecret', '')
    setAsked(null)
  }
  return (
    <>
      <Select
        className={classes.kind ?? ''}
        label={t('drivers.kind.label')}
        description={t(`drivers.kind.hint.${kind}`)}
        data={parserKinds.map((each) => ({ value: each, label: t(`drivers.kind.name.${each}`) }))}
        value={kind}
        disabled={readOnly}
        allowDeselect={false}
        onChange={(value) => {
          const next = parserKinds.find((each) => each === value)
          if (next === undefined || next === kind) return
          // A kind without an editor has nothing to lose.
          if (kinds[kind].Editor === undefined) take(next)
          else setAsked(next)
        }}
      />
      <ConfirmDialog
        opened={asked !== null}
        title={t('drivers.kind.switchTitle')}
        text={t('drivers.kind.switchText', { kind: t(`drivers.kind.name.${kind}`) })}
        confirmLabel={t('drivers.kind.switch')}
        onCancel={() => setAsked(null)}
        onConfirm={() => (asked === null ? undefined : take(asked))}
        danger
      />
    </>
  )
}
