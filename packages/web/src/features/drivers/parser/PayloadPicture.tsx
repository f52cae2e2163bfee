import { Text, VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type FieldValues, type PictureByte, pictureBytesMax, pictureOf } from './layoutValues.ts'
import classes from './parser.module.css'

/** Field colours, used in rotation; numbers tell the fields apart. */
export const fieldColors = 8

interface PayloadPictureProps {
  /** hexadecimal digits of the selected packet; empty for none */
  hex: string
  fields: readonly FieldValues[]
  /** field whose bytes are highlighted */
  active: number | null
}

/** A payload's bytes and the fields in them, each with its colour and number. */
export function PayloadPicture({ hex, fields, active }: PayloadPictureProps) {
  const { t } = useTranslation()
  const bytes = pictureOf(hex, fields)
  return (
    <div>
      {/* A scrollable area must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to take the focus */}
      <ul className={classes.bytes} aria-label={t('drivers.layout.picture')} tabIndex={0}>
        {bytes.map((byte) => (
          <Byte key={byte.index} byte={byte} fields={fields} active={active} />
        ))}
      </ul>
      <Text size="xs" c="dimmed" mt={4}>
        {t(hex === '' ? 'drivers.layout.pictureEmpty' : 'drivers.layout.pictureHint')}
        {bytes.length === pictureBytesMax
          ? ` ${t('drivers.layout.pictureCut', { count: pictureBytesMax })}`
          : ''}
      </Text>
    </div>
  )
}

function Byte(props: { byte: PictureByte; fields: readonly FieldValues[]; active: number | null }) {
  const { t } = useTranslation()
  const { index, hex, bits } = props.byte
  const found = [...new Set(bits.flatMap(({ field }) => (field === null ? [] : [field])))]
  const names = found.map(
    (field) => props.fields[field]?.target || t('drivers.layout.field', { number: field + 1 }),
  )
  const isActive = props.active !== null && found.includes(props.active)
  return (
    <li className={classes.byte} data-active={isActive || undefined}>
      <VisuallyHidden>
        {t('drivers.layout.byte', { index, hex: hex ?? '–' })}
        {names.length > 0 ? `: ${names.join(', ')}` : ''}
      </VisuallyHidden>
      <span aria-hidden title={names.join(', ')}>
        <span className={classes.byteIndex}>{index}</span>
        <span className={classes.byteHex}>{hex ?? '··'}</span>
        <span className={classes.bits}>
          {bits.map(({ bit, field }) => (
            <span
              key={bit}
              className={classes.bit}
              data-field={field === null ? undefined : field % fieldColors}
            />
          ))}
        </span>
        <span className={classes.byteFields}>{found.map((field) => field + 1).join(' ')}</span>
      </span>
    </li>
  )
}
