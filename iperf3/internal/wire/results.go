package wire

import "encoding/json"

// Results is the JSON by which each side tells what it saw (send_results in
// src/iperf_api.c).
type Results struct {
	CPUTotal             float64         `json:"cpu_util_total"` // percent of one core
	CPUUser              float64         `json:"cpu_util_user"`
	CPUSystem            float64         `json:"cpu_util_system"`
	SenderHasRetransmits Number          `json:"sender_has_retransmits"` // 1, 0, or −1 from a side that only received
	CongestionUsed       string          `json:"congestion_used,omitempty"`
	OutputJSON           json.RawMessage `json:"server_output_json,omitempty"`
	OutputText           string          `json:"server_output_text,omitempty"`
	Streams              []StreamResults `json:"streams"`
}

// StreamResults is one stream of them. Errors and Packets count from the start
// of the test, the omitted part included; since 3.14 the other two tell how much
// of them that is.
type StreamResults struct {
	ID             Number  `json:"id"`
	Bytes          Number  `json:"bytes"`
	Retransmits    Number  `json:"retransmits"`
	Jitter         float64 `json:"jitter"` // s
	Errors         Number  `json:"errors"`
	OmittedErrors  Number  `json:"omitted_errors"`
	Packets        Number  `json:"packets"`
	OmittedPackets Number  `json:"omitted_packets"`
	StartTime      float64 `json:"start_time"` // s
	EndTime        float64 `json:"end_time"`
}
