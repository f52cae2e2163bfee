import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isSame } from '../../../ui/map/area.ts'
import { areaFrom, areaTextMax, textOf } from '../../../ui/map/areaText.ts'
import type { AreaValues } from './areaValues.ts'

interface AreaTextProps {
  value: AreaValues
  onChange: (value: AreaValues) => void
  /** Called when the field is left. */
  onLeave: () => void
  onFocus: () => void
  description: string
  required: boolean
  error: string | undefined
  readOnly: boolean
}

/** The corners of the polygon as text, to read, to paste, and to enter without the map. */
export function AreaText({ value, onChange, onLeave, onFocus, ...field }: AreaTextProps) {
  const { t } = useTranslation()
  // Shown as typed while the polygon matches it. GeoJSON becomes lines when the field is left.
  const [typed, setTyped] = useState<{ text: string } & Pick<AreaValues, 'geoPolygon'>>()
  const isTyped = typed !== undefined && isSame(typed.geoPolygon, value.geoPolygon)
  const text = value.areaText ?? (isTyped ? typed.text : textOf(value.geoPolygon))
  const enter = (entered: string) => {
    const read = areaFrom(entered)
    if ('fault' in read) {
      onChange({ ...value, areaText: entered })
      return
    }
    setTyped({ text: entered, geoPolygon: read.polygon })
    onChange({ geoPolygon: read.polygon, areaText: null })
  }
  return (
    <Textarea
      label={t('geoPolygon.title')}
      autosize
      minRows={3}
      maxRows={8}
      maxLength={areaTextMax}
      spellCheck={false}
      styles={{ input: { fontVariantNumeric: 'tabular-nums' } }}
      {...field}
      value={text}
      onChange={(event) => enter(event.currentTarget.value)}
      onFocus={onFocus}
      onBlur={() => {
        setTyped(undefined)
        onLeave()
      }}
    />
  )
}
