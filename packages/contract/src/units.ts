/** A unit of the list; `code` is that of UCUM (Unified Code for Units of Measure). */
export interface Unit {
  /** of its name in the texts */
  key: string
  code: string
  /** what states store and screens show */
  symbol: string
  /** a value in the coherent unit of its quantity is `value * factor + offset`; null: it converts to no other unit */
  factor: number | null
  offset?: number
  /** other spellings */
  aliases?: readonly string[]
}

/** Units by quantity, written from UCUM 2.2. Units of one quantity convert to each other. */
export const quantities = {
  temperature: [
    { key: 'celsius', code: 'Cel', symbol: '°C', factor: 1, offset: 273.15, aliases: ['C', 'degC', '℃'] },
    {
      key: 'fahrenheit',
      code: '[degF]',
      symbol: '°F',
      factor: 5 / 9,
      offset: 459.67 * (5 / 9),
      aliases: ['F', 'degF', '℉'],
    },
    { key: 'kelvin', code: 'K', symbol: 'K', factor: 1 },
  ],
  ratio: [
    { key: 'percent', code: '%', symbol: '%', factor: 0.01, aliases: ['%RH', '%rH'] },
    { key: 'perMille', code: '[ppth]', symbol: '‰', factor: 0.001 },
    { key: 'ppm', code: '[ppm]', symbol: 'ppm', factor: 1e-6 },
    { key: 'ppb', code: '[ppb]', symbol: 'ppb', factor: 1e-9 },
  ],
  pressure: [
    { key: 'pascal', code: 'Pa', symbol: 'Pa', factor: 1 },
    { key: 'hectopascal', code: 'hPa', symbol: 'hPa', factor: 100 },
    { key: 'kilopascal', code: 'kPa', symbol: 'kPa', factor: 1000 },
    { key: 'megapascal', code: 'MPa', symbol: 'MPa', factor: 1e6 },
    { key: 'bar', code: 'bar', symbol: 'bar', factor: 1e5 },
    { key: 'millibar', code: 'mbar', symbol: 'mbar', factor: 100 },
    { key: 'psi', code: '[psi]', symbol: 'psi', factor: 6894.757293168 },
    { key: 'mercury', code: 'mm[Hg]', symbol: 'mmHg', factor: 133.322387415 },
    { key: 'waterColumn', code: 'm[H2O]', symbol: 'mH₂O', factor: 9806.65, aliases: ['mH2O', 'mWS'] },
  ],
  concentration: [
    { key: 'kilogramPerCubicMetre', code: 'kg/m3', symbol: 'kg/m³', factor: 1 },
    { key: 'gramPerCubicMetre', code: 'g/m3', symbol: 'g/m³', factor: 1e-3 },
    { key: 'milligramPerCubicMetre', code: 'mg/m3', symbol: 'mg/m³', factor: 1e-6 },
    { key: 'microgramPerCubicMetre', code: 'ug/m3', symbol: 'µg/m³', factor: 1e-9 },
    { key: 'gramPerLitre', code: 'g/L', symbol: 'g/l', factor: 1 },
    { key: 'milligramPerLitre', code: 'mg/L', symbol: 'mg/l', factor: 1e-3 },
    { key: 'microgramPerLitre', code: 'ug/L', symbol: 'µg/l', factor: 1e-6 },
  ],
  amountConcentration: [
    { key: 'molePerLitre', code: 'mol/L', symbol: 'mol/l', factor: 1 },
    { key: 'millimolePerLitre', code: 'mmol/L', symbol: 'mmol/l', factor: 1e-3 },
  ],
  length: [
    { key: 'micrometre', code: 'um', symbol: 'µm', factor: 1e-6 },
    { key: 'millimetre', code: 'mm', symbol: 'mm', factor: 1e-3 },
    { key: 'centimetre', code: 'cm', symbol: 'cm', factor: 1e-2 },
    { key: 'metre', code: 'm', symbol: 'm', factor: 1 },
    { key: 'kilometre', code: 'km', symbol: 'km', factor: 1000 },
    { key: 'inch', code: '[in_i]', symbol: 'in', factor: 0.0254 },
    { key: 'foot', code: '[ft_i]', symbol: 'ft', factor: 0.3048 },
    { key: 'mile', code: '[mi_i]', symbol: 'mi', factor: 1609.344 },
  ],
  area: [
    { key: 'squareCentimetre', code: 'cm2', symbol: 'cm²', factor: 1e-4 },
    { key: 'squareMetre', code: 'm2', symbol: 'm²', factor: 1 },
    { key: 'hectare', code: 'har', symbol: 'ha', factor: 1e4 },
    { key: 'squareKilometre', code: 'km2', symbol: 'km²', factor: 1e6 },
  ],
  volume: [
    { key: 'millilitre', code: 'mL', symbol: 'ml', factor: 1e-6 },
    { key: 'litre', code: 'L', symbol: 'l', factor: 1e-3 },
    { key: 'hectolitre', code: 'hL', symbol: 'hl', factor: 0.1 },
    { key: 'cubicMetre', code: 'm3', symbol: 'm³', factor: 1 },
    { key: 'gallon', code: '[gal_us]', symbol: 'gal', factor: 0.003785411784 },
  ],
  flow: [
    { key: 'litrePerHour', code: 'L/h', symbol: 'l/h', factor: 1 / 3_600_000 },
    { key: 'litrePerMinute', code: 'L/min', symbol: 'l/min', factor: 1 / 60_000 },
    { key: 'litrePerSecond', code: 'L/s', symbol: 'l/s', factor: 1e-3 },
    { key: 'cubicMetrePerHour', code: 'm3/h', symbol: 'm³/h', factor: 1 / 3600 },
    { key: 'cubicMetrePerSecond', code: 'm3/s', symbol: 'm³/s', factor: 1 },
  ],
  mass: [
    { key: 'milligram', code: 'mg', symbol: 'mg', factor: 1e-6 },
    { key: 'gram', code: 'g', symbol: 'g', factor: 1e-3 },
    { key: 'kilogram', code: 'kg', symbol: 'kg', factor: 1 },
    { key: 'tonne', code: 't', symbol: 't', factor: 1000 },
  ],
  massFlow: [
    { key: 'kilogramPerHour', code: 'kg/h', symbol: 'kg/h', factor: 1 / 3600 },
    { key: 'kilogramPerSecond', code: 'kg/s', symbol: 'kg/s', factor: 1 },
    { key: 'tonnePerHour', code: 't/h', symbol: 't/h', factor: 1 / 3.6 },
  ],
  time: [
    { key: 'millisecond', code: 'ms', symbol: 'ms', factor: 1e-3 },
    { key: 'second', code: 's', symbol: 's', factor: 1 },
    { key: 'minute', code: 'min', symbol: 'min', factor: 60 },
    { key: 'hour', code: 'h', symbol: 'h', factor: 3600 },
    { key: 'day', code: 'd', symbol: 'd', factor: 86_400 },
    { key: 'week', code: 'wk', symbol: 'wk', factor: 604_800 },
  ],
  speed: [
    { key: 'metrePerSecond', code: 'm/s', symbol: 'm/s', factor: 1 },
    { key: 'kilometrePerHour', code: 'km/h', symbol: 'km/h', factor: 1 / 3.6 },
    { key: 'milePerHour', code: '[mi_i]/h', symbol: 'mph', factor: 0.44704 },
    { key: 'knot', code: '[kn_i]', symbol: 'kn', factor: 1852 / 3600, aliases: ['kt'] },
    { key: 'millimetrePerHour', code: 'mm/h', symbol: 'mm/h', factor: 1 / 3_600_000 },
  ],
  acceleration: [
    { key: 'metrePerSecondSquared', code: 'm/s2', symbol: 'm/s²', factor: 1 },
    { key: 'standardGravity', code: '[g]', symbol: 'gₙ', factor: 9.80665 },
  ],
  frequency: [
    { key: 'hertz', code: 'Hz', symbol: 'Hz', factor: 1 },
    { key: 'kilohertz', code: 'kHz', symbol: 'kHz', factor: 1e3 },
    { key: 'megahertz', code: 'MHz', symbol: 'MHz', factor: 1e6 },
    { key: 'perMinute', code: '/min', symbol: '1/min', factor: 1 / 60, aliases: ['rpm', 'U/min'] },
    { key: 'perHour', code: '/h', symbol: '1/h', factor: 1 / 3600 },
  ],
  energy: [
    { key: 'joule', code: 'J', symbol: 'J', factor: 1 },
    { key: 'kilojoule', code: 'kJ', symbol: 'kJ', factor: 1e3 },
    { key: 'megajoule', code: 'MJ', symbol: 'MJ', factor: 1e6 },
    { key: 'gigajoule', code: 'GJ', symbol: 'GJ', factor: 1e9 },
    { key: 'wattHour', code: 'W.h', symbol: 'Wh', factor: 3600 },
    { key: 'kilowattHour', code: 'kW.h', symbol: 'kWh', factor: 3.6e6 },
    { key: 'megawattHour', code: 'MW.h', symbol: 'MWh', factor: 3.6e9 },
  ],
  power: [
    { key: 'milliwatt', code: 'mW', symbol: 'mW', factor: 1e-3 },
    { key: 'watt', code: 'W', symbol: 'W', factor: 1 },
    { key: 'kilowatt', code: 'kW', symbol: 'kW', factor: 1e3 },
    { key: 'megawatt', code: 'MW', symbol: 'MW', factor: 1e6 },
  ],
  apparentPower: [
    { key: 'voltAmpere', code: 'V.A', symbol: 'VA', factor: 1 },
    { key: 'kilovoltAmpere', code: 'kV.A', symbol: 'kVA', factor: 1e3 },
  ],
  reactivePower: [
    { key: 'reactiveVoltAmpere', code: 'V.A{reactive}', symbol: 'var', factor: 1, aliases: ['VAr'] },
    { key: 'reactiveKilovoltAmpere', code: 'kV.A{reactive}', symbol: 'kvar', factor: 1e3, aliases: ['kVAr'] },
  ],
  voltage: [
    { key: 'microvolt', code: 'uV', symbol: 'µV', factor: 1e-6 },
    { key: 'millivolt', code: 'mV', symbol: 'mV', factor: 1e-3 },
    { key: 'volt', code: 'V', symbol: 'V', factor: 1 },
    { key: 'kilovolt', code: 'kV', symbol: 'kV', factor: 1e3 },
  ],
  current: [
    { key: 'microampere', code: 'uA', symbol: 'µA', factor: 1e-6 },
    { key: 'milliampere', code: 'mA', symbol: 'mA', factor: 1e-3 },
    { key: 'ampere', code: 'A', symbol: 'A', factor: 1 },
  ],
  charge: [
    { key: 'milliampereHour', code: 'mA.h', symbol: 'mAh', factor: 3.6 },
    { key: 'ampereHour', code: 'A.h', symbol: 'Ah', factor: 3600 },
    { key: 'coulomb', code: 'C', symbol: 'C', factor: 1 },
  ],
  resistance: [
    { key: 'ohm', code: 'Ohm', symbol: 'Ω', factor: 1 },
    { key: 'kiloohm', code: 'kOhm', symbol: 'kΩ', factor: 1e3 },
    { key: 'megaohm', code: 'MOhm', symbol: 'MΩ', factor: 1e6 },
  ],
  conductivity: [
    { key: 'microsiemensPerCentimetre', code: 'uS/cm', symbol: 'µS/cm', factor: 1e-4 },
    { key: 'millisiemensPerCentimetre', code: 'mS/cm', symbol: 'mS/cm', factor: 0.1, aliases: ['dS/m'] },
    { key: 'siemensPerMetre', code: 'S/m', symbol: 'S/m', factor: 1 },
  ],
  sound: [
    { key: 'decibel', code: 'dB', symbol: 'dB', factor: null },
    { key: 'decibelA', code: 'dB{A}', symbol: 'dB(A)', factor: null, aliases: ['dBA'] },
  ],
  signal: [{ key: 'decibelMilliwatt', code: 'dB[mW]', symbol: 'dBm', factor: null }],
  light: [
    { key: 'lux', code: 'lx', symbol: 'lx', factor: 1 },
    { key: 'kilolux', code: 'klx', symbol: 'klx', factor: 1e3 },
  ],
  luminousFlux: [{ key: 'lumen', code: 'lm', symbol: 'lm', factor: 1 }],
  irradiance: [
    { key: 'wattPerSquareMetre', code: 'W/m2', symbol: 'W/m²', factor: 1 },
    { key: 'kilowattPerSquareMetre', code: 'kW/m2', symbol: 'kW/m²', factor: 1e3 },
    { key: 'milliwattPerSquareCentimetre', code: 'mW/cm2', symbol: 'mW/cm²', factor: 10 },
  ],
  photonFlux: [
    {
      key: 'photonFluxDensity',
      code: 'umol/m2/s',
      symbol: 'µmol/(m²·s)',
      factor: 1,
      aliases: ['µmol/m²/s', 'µmol/m²s'],
    },
  ],
  doseRate: [
    { key: 'nanosievertPerHour', code: 'nSv/h', symbol: 'nSv/h', factor: 1e-9 },
    { key: 'microsievertPerHour', code: 'uSv/h', symbol: 'µSv/h', factor: 1e-6 },
    { key: 'millisievertPerHour', code: 'mSv/h', symbol: 'mSv/h', factor: 1e-3 },
  ],
  radon: [
    { key: 'becquerelPerCubicMetre', code: 'Bq/m3', symbol: 'Bq/m³', factor: 1 },
    { key: 'kilobecquerelPerCubicMetre', code: 'kBq/m3', symbol: 'kBq/m³', factor: 1e3 },
    { key: 'picocuriePerLitre', code: 'pCi/L', symbol: 'pCi/l', factor: 37 },
  ],
  data: [
    { key: 'byte', code: 'By', symbol: 'B', factor: 1 },
    { key: 'kilobyte', code: 'kBy', symbol: 'kB', factor: 1e3 },
    { key: 'megabyte', code: 'MBy', symbol: 'MB', factor: 1e6 },
    { key: 'gigabyte', code: 'GBy', symbol: 'GB', factor: 1e9 },
    { key: 'terabyte', code: 'TBy', symbol: 'TB', factor: 1e12 },
  ],
  dataRate: [
    { key: 'bitPerSecond', code: 'bit/s', symbol: 'bit/s', factor: 1 },
    { key: 'kilobitPerSecond', code: 'kbit/s', symbol: 'kbit/s', factor: 1e3 },
    { key: 'megabitPerSecond', code: 'Mbit/s', symbol: 'Mbit/s', factor: 1e6 },
  ],
  angle: [
    { key: 'degree', code: 'deg', symbol: '°', factor: Math.PI / 180 },
    { key: 'radian', code: 'rad', symbol: 'rad', factor: 1 },
  ],
  force: [
    { key: 'newton', code: 'N', symbol: 'N', factor: 1 },
    { key: 'kilonewton', code: 'kN', symbol: 'kN', factor: 1e3 },
  ],
  water: [
    { key: 'ph', code: '[pH]', symbol: 'pH', factor: null },
    { key: 'fnu', code: '{FNU}', symbol: 'FNU', factor: null },
    { key: 'ntu', code: '{NTU}', symbol: 'NTU', factor: null },
  ],
} as const satisfies Record<string, readonly Unit[]>

export type Quantity = keyof typeof quantities
export const quantityNames = Object.keys(quantities) as Quantity[]

interface Known {
  unit: Unit
  quantity: Quantity
}

/** Spellings that mean the same: both characters for micro, raised digits, spaces. */
function spelled(text: string): string {
  return text
    .trim()
    .replaceAll('\u03bc', '\u00b5')
    .replaceAll('\u00b2', '2')
    .replaceAll('\u00b3', '3')
    .replaceAll('L', 'l')
    .replace(/\s/g, '')
}

const bySpelling = new Map<string, Known>()
for (const spellingsOf of [
  ({ symbol }: Unit) => [symbol],
  ({ aliases, code }: Unit) => [...(aliases ?? []), code],
])
  for (const quantity of quantityNames)
    for (const unit of quantities[quantity] as readonly Unit[])
      for (const spelling of spellingsOf(unit).map(spelled))
        if (!bySpelling.has(spelling)) bySpelling.set(spelling, { unit, quantity })

/** The unit of the list that a text stands for, by symbol, UCUM code or another spelling. */
export function unitOf(text: string): Known | undefined {
  return bySpelling.get(spelled(text))
}

/** `value * factor + offset` converts a value. */
export interface Conversion {
  factor: number
  offset: number
}

/** How values of one unit become those of another; null: they are not of one quantity, or of none. */
export function conversionOf(from: string, to: string): Conversion | null {
  const [source, target] = [unitOf(from), unitOf(to)]
  if (source === undefined || target === undefined || source.quantity !== target.quantity) return null
  const [a, b] = [source.unit, target.unit]
  if (a === b || a.factor === null || b.factor === null) return null
  return {
    factor: exact(a.factor / b.factor),
    offset: exact(((a.offset ?? 0) - (b.offset ?? 0)) / b.factor),
  }
}

/** Significant digits of converted values: what is beyond them is noise of the calculation. */
const digits = 14

const exact = (value: number) => Number(value.toPrecision(digits))

/** A converted value, without the noise of the calculation, so that converting back gives the same value. */
export function converted(value: number, { factor, offset }: Conversion): number {
  return exact(value * factor + offset)
}
