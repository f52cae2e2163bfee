import type { MapLibreMap } from 'maplibre-gl'
import { useEffect, useRef } from 'react'
import type { MapMode } from './builtIn.ts'
import type { MapPoint } from './MapView.tsx'
import { type BaseMap, iconInks, iconSize, ours, pointLayers } from './style.ts'

/** Pixels of the picture of an icon; the map shows it at half its size. */
const pixels = 2 * iconSize
/** Of the drawings of Tabler icons. */
const drawnOn = 24

/**
 * Gives the map the pictures of icons when it needs them. They have to be in the page as drawings: `svg` elements within
 * the returned host, each in an element whose `data-icon` is its name.
 */
export function useMarkerIcons(
  map: MapLibreMap | null,
  mode: MapMode | undefined,
  { styled, points }: { styled: BaseMap | undefined; points: readonly MapPoint[] },
) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!map || !mode) return undefined
    const add = ({ id }: { id: string }) => {
      const [, variant = '', name = ''] = /^(filled|outlined):(.+)$/.exec(id) ?? []
      if (variant === 'filled' || variant === 'outlined')
        addPicture(map, host.current, { mode, variant, name })
    }
    map.on('styleimagemissing', add)
    return () => {
      map.off('styleimagemissing', add)
    }
  }, [map, mode])
  // Those of which the map has said that it needs them before anybody listened.
  useEffect(() => {
    if (!map || !styled) return
    for (const name of new Set(points.flatMap(({ icon }) => icon?.name ?? [])))
      for (const variant of ['filled', 'outlined'] as const)
        addPicture(map, host.current, { mode: styled.mode, variant, name })
  }, [map, styled, points])
  return host
}

interface Picture {
  mode: MapMode
  variant: 'filled' | 'outlined'
  name: string
}

function addPicture(map: MapLibreMap, host: Element | null, { mode, variant, name }: Picture): void {
  const id = `${variant}:${name}`
  const drawing = host?.querySelector(`[data-icon="${CSS.escape(name)}"] svg`)
  if (drawing && !map.hasImage(id))
    map.addImage(id, picture(drawing, iconInks[mode][variant]), { pixelRatio: 2 })
}

/** An icon in one colour. */
function picture(drawing: Element, ink: string): ImageData {
  const canvas = document.createElement('canvas')
  canvas.width = pixels
  canvas.height = pixels
  const context = canvas.getContext('2d')
  if (!context) throw new Error('this browser cannot draw')
  context.scale(pixels / drawnOn, pixels / drawnOn)
  context.strokeStyle = ink
  context.lineWidth = 2.2
  context.lineCap = 'round'
  context.lineJoin = 'round'
  for (const path of drawing.querySelectorAll('path'))
    context.stroke(new Path2D(path.getAttribute('d') ?? ''))
  return context.getImageData(0, 0, pixels, pixels)
}

/** Shows points as filled dots or as rings. */
export function useMarkerStyle(map: MapLibreMap | null, styled: BaseMap | undefined, outlined: boolean) {
  useEffect(() => {
    if (!map || !styled || !map.getLayer(ours.dots)) return
    const { dots, icons } = pointLayers(styled, outlined)
    for (const name of ['circle-color', 'circle-stroke-color', 'circle-stroke-width'] as const)
      map.setPaintProperty(dots.id, name, dots.paint[name])
    map.setLayoutProperty(icons.id, 'icon-image', icons.layout['icon-image'])
  }, [map, styled, outlined])
}
