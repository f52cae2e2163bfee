defmodule Timex do
  @moduledoc "The part of Timex that parsers use to read and move times. Everything is UTC."

  @utc ["Etc/UTC", "UTC", "Etc/GMT", "GMT", "Z", :utc]

  def now, do: DateTime.utc_now()
  def now(zone), do: utc!(zone, DateTime.utc_now())
  def today, do: Date.utc_today()
  def from_unix(value), do: DateTime.from_unix!(value)
  def from_unix(value, unit), do: DateTime.from_unix!(value, unit(unit))
  def to_unix(time), do: time |> to_datetime() |> DateTime.to_unix()
  def to_gregorian_seconds(time), do: time |> to_datetime() |> DateTime.to_gregorian_seconds() |> elem(0)

  def to_datetime(time), do: to_datetime(time, "Etc/UTC")
  def to_datetime(time, zone), do: utc!(zone, at(time))

  # A time in another zone must not be taken for UTC.
  defp utc!(zone, time) when zone in @utc, do: time
  defp utc!(zone, _time), do: raise(ArgumentError, "times are in UTC here, the zone #{inspect(zone)} is not known")

  defp at(%DateTime{} = time), do: time
  defp at(%NaiveDateTime{} = time), do: DateTime.from_naive!(time, "Etc/UTC")
  defp at(%Date{} = date), do: DateTime.new!(date, ~T[00:00:00])
  defp at({{_, _, _} = date, {_, _, _} = time}), do: at(NaiveDateTime.from_erl!({date, time}))
  defp at({_, _, _} = date), do: at(Date.from_erl!(date))

  def to_naive_datetime(time), do: time |> to_datetime() |> DateTime.to_naive()
  def to_date(time), do: time |> to_datetime() |> DateTime.to_date()

  @seconds %{weeks: 604_800, days: 86_400, hours: 3600, minutes: 60, seconds: 1}

  def shift(time, amounts), do: Enum.reduce(amounts, time, &shift_by(&2, &1))
  def add(time, seconds) when is_integer(seconds), do: shift(time, seconds: seconds)
  def subtract(time, seconds) when is_integer(seconds), do: shift(time, seconds: -seconds)

  defp shift_by(%NaiveDateTime{} = time, amount), do: time |> to_datetime() |> shift_by(amount) |> DateTime.to_naive()
  defp shift_by(%Date{} = date, amount), do: date |> to_datetime() |> shift_by(amount) |> DateTime.to_date()
  defp shift_by(time, {:years, count}), do: shift_by(time, {:months, count * 12})

  defp shift_by(%DateTime{} = time, {:months, count}) do
    index = time.year * 12 + time.month - 1 + count
    {year, month} = {Integer.floor_div(index, 12), Integer.mod(index, 12) + 1}
    days = Date.days_in_month(Date.new!(year, month, 1))
    %{time | year: year, month: month, day: min(time.day, days)}
  end

  defp shift_by(time, {unit, count}) when unit in [:milliseconds, :microseconds],
    do: DateTime.add(time, count, unit(unit))

  defp shift_by(time, {unit, count}), do: DateTime.add(time, count * Map.fetch!(@seconds, unit), :second)

  def set(time, parts), do: struct!(time, parts)
  def before?(a, b), do: compare(a, b) < 0
  def after?(a, b), do: compare(a, b) > 0
  def equal?(a, b), do: compare(a, b) == 0
  def compare(a, b), do: %{lt: -1, eq: 0, gt: 1}[DateTime.compare(to_datetime(a), to_datetime(b))]
  def diff(a, b), do: diff(a, b, :microseconds)

  def diff(a, b, unit) when is_map_key(@seconds, unit),
    do: div(DateTime.diff(to_datetime(a), to_datetime(b)), Map.fetch!(@seconds, unit))

  def diff(a, b, unit), do: DateTime.diff(to_datetime(a), to_datetime(b), unit(unit))
  def beginning_of_day(time), do: %{to_datetime(time) | hour: 0, minute: 0, second: 0, microsecond: {0, 0}}
  def end_of_day(time), do: %{to_datetime(time) | hour: 23, minute: 59, second: 59, microsecond: {0, 0}}
  def beginning_of_month(time), do: %{beginning_of_day(time) | day: 1}
  def end_of_month(time), do: %{end_of_day(time) | day: days_in_month(time)}
  def between?(time, from, to), do: after?(time, from) and before?(time, to)
  def epoch, do: ~D[1970-01-01]
  def weekday(time), do: time |> to_date() |> Date.day_of_week()
  def days_in_month(time), do: time |> to_date() |> Date.days_in_month()
  def days_in_month(year, month), do: Date.days_in_month(Date.new!(year, month, 1))
  def parse(text, "{ISO:Extended}"), do: parse_iso(text)
  def parse(text, "{ISO:Extended:Z}"), do: parse_iso(text)
  def parse(_text, format), do: {:error, "only {ISO:Extended} is understood here, not #{format}"}

  def parse!(text, format) do
    case parse(text, format) do
      {:ok, time} -> time
      {:error, reason} -> raise ArgumentError, to_string(reason)
    end
  end

  def format!(time, format) when format in ["{ISO:Extended}", "{ISO:Extended:Z}"],
    do: time |> to_datetime() |> DateTime.to_iso8601()

  defp parse_iso(text) do
    case DateTime.from_iso8601(text) do
      {:ok, time, _offset} -> {:ok, time}
      {:error, reason} -> {:error, reason}
    end
  end

  defp unit(:milliseconds), do: :millisecond
  defp unit(:microseconds), do: :microsecond
  defp unit(:seconds), do: :second
  defp unit(other), do: other
end
